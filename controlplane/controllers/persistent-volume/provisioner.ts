/** Who makes the volume of a claim, and who may delete one: here always somebody outside, a CSI driver's provisioner or a person. Pure. */
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../../api/gen/types.ts';
import { BETA_STORAGE_PROVISIONER, PROVISIONED_BY, STORAGE_PROVISIONER } from '../../../api/storage/annotations.ts';
import { classOfClaim } from '../../../api/storage/class.ts';

/** Names of Kubernetes' own plugins; upstream has none left that provisions without a CSI driver. */
const IN_TREE = 'kubernetes.io/';

export type Provisioner = { readonly name: string } | { readonly error: string };

export function provisionerFor(claim: PersistentVolumeClaim, storageClass: StorageClass | undefined): Provisioner {
	if (storageClass === undefined) return { error: `storageclass.storage.k8s.io "${classOfClaim(claim)}" not found` };
	const name = storageClass.provisioner;
	return name.startsWith(IN_TREE) ? { error: `no volume plugin matched name: ${name}` } : { name };
}

/** The claim told who is to make its volume; the same object where it says so. */
export function provisionedBy<T extends PersistentVolumeClaim>(claim: T, name: string): T {
	if (claim.metadata.annotations?.[STORAGE_PROVISIONER] === name) return claim;
	const annotations = { ...claim.metadata.annotations, [BETA_STORAGE_PROVISIONER]: name, [STORAGE_PROVISIONER]: name };
	return { ...claim, metadata: { ...claim.metadata, annotations } };
}

export function waitingMessage(provisioner: string): string {
	return (
		`Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. ` +
		'If volume creation is delayed, please verify that the provisioner is running and correctly registered.'
	);
}

/** Why nobody deletes a released volume whose policy is Delete; undefined where its provisioner does. */
export function deletionError(volume: PersistentVolume): string | undefined {
	const maker = volume.metadata.annotations?.[PROVISIONED_BY] ?? '';
	if (maker !== '') return maker.startsWith(IN_TREE) ? `no volume plugin matched name: ${maker}` : undefined;
	if (volume.spec?.csi !== undefined) return undefined;
	return `error getting deleter volume plugin for volume "${volume.metadata.name}": no deletable volume plugin matched`;
}
