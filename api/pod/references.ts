/** What a pod makes its node need: names of secrets, config maps, claims and its service account. Pure. */
import type { Container, EphemeralContainer, Pod, Volume } from '../gen/types.ts';

export interface PodReferences {
	readonly secrets: readonly string[];
	readonly configMaps: readonly string[];
	readonly claims: readonly string[];
	readonly serviceAccount: string;
	/** ResourceClaim names, as status gives them for templates and extended resources. */
	readonly resourceClaims: readonly string[];
}

export function podReferences(pod: Pod): PodReferences {
	const spec = pod.spec;
	const secrets = new Set<string>();
	const configMaps = new Set<string>();
	const claims = new Set<string>();
	const resourceClaims = new Set<string>();
	for (const pull of spec?.imagePullSecrets ?? []) add(secrets, pull.name);
	const containers: readonly (Container | EphemeralContainer)[] = [
		...(spec?.initContainers ?? []),
		...(spec?.containers ?? []),
		...(spec?.ephemeralContainers ?? []),
	];
	for (const container of containers) {
		for (const from of container.envFrom ?? []) {
			add(secrets, from.secretRef?.name);
			add(configMaps, from.configMapRef?.name);
		}
		for (const env of container.env ?? []) {
			add(secrets, env.valueFrom?.secretKeyRef?.name);
			add(configMaps, env.valueFrom?.configMapKeyRef?.name);
		}
	}
	for (const volume of spec?.volumes ?? []) addVolume(volume, pod, secrets, configMaps, claims);
	for (const claim of spec?.resourceClaims ?? []) add(resourceClaims, claim.resourceClaimName);
	for (const claim of pod.status?.resourceClaimStatuses ?? []) add(resourceClaims, claim.resourceClaimName);
	add(resourceClaims, pod.status?.extendedResourceClaimStatus?.resourceClaimName);
	return {
		secrets: [...secrets],
		configMaps: [...configMaps],
		claims: [...claims],
		serviceAccount: spec?.serviceAccountName ?? '',
		resourceClaims: [...resourceClaims],
	};
}

function addVolume(volume: Volume, pod: Pod, secrets: Set<string>, configMaps: Set<string>, claims: Set<string>): void {
	add(secrets, volume.secret?.secretName);
	add(configMaps, volume.configMap?.name);
	add(claims, volume.persistentVolumeClaim?.claimName);
	if (volume.ephemeral !== undefined) add(claims, `${pod.metadata.name}-${volume.name}`);
	for (const source of volume.projected?.sources ?? []) {
		add(secrets, source.secret?.name);
		add(configMaps, source.configMap?.name);
	}
	for (const driver of [volume.azureFile?.secretName, volume.cephfs?.secretRef?.name, volume.csi?.nodePublishSecretRef?.name])
		add(secrets, driver);
	for (const driver of [volume.flexVolume, volume.iscsi, volume.rbd, volume.scaleIO, volume.storageos, volume.cinder])
		add(secrets, driver?.secretRef?.name);
}

function add(set: Set<string>, name: string | undefined): void {
	if (name !== undefined && name !== '') set.add(name);
}
