/** Which secrets a node needs to mount a volume (VisitPVSecretNames of upstream's pkg/api/v1/persistentvolume, those a kubelet sees). Pure. */
import type { PersistentVolume } from '../../../api/gen/types.ts';

export interface SecretKey {
	readonly namespace: string;
	readonly name: string;
}

export function nodeSecretsOf({ spec }: PersistentVolume): readonly SecretKey[] {
	const { csi, azureFile, cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos } = spec ?? {};
	const ofClaim = spec?.claimRef?.namespace ?? '';
	const keys: SecretKey[] = [
		csi?.nodePublishSecretRef,
		csi?.nodeStageSecretRef,
		csi?.nodeExpandSecretRef,
		cinder?.secretRef,
		storageos?.secretRef,
	].map((ref) => ({ namespace: ref?.namespace ?? '', name: ref?.name ?? '' }));
	for (const driver of [cephfs, flexVolume, rbd, scaleIO, iscsi])
		keys.push({ namespace: driver?.secretRef?.namespace || ofClaim, name: driver?.secretRef?.name ?? '' });
	keys.push({ namespace: azureFile?.secretNamespace || ofClaim, name: azureFile?.secretName ?? '' });
	return keys.filter(({ name }) => name !== '');
}
