/** What of the API a pod cannot be without, which those that run without one (static pods) may not have (HasAPIObjectReference of upstream's pkg/api/pod). Pure. */
import type { Pod, Volume } from '../gen/types.ts';
import { podReferences } from './references.ts';

/** Volumes that need nothing of the API; secrets of theirs are looked at before. */
const SELF_CONTAINED: readonly (keyof Volume)[] = [
	...(['awsElasticBlockStore', 'azureDisk', 'cephfs', 'cinder', 'downwardAPI', 'emptyDir', 'fc', 'flexVolume', 'flocker'] as const),
	...(['gcePersistentDisk', 'gitRepo', 'hostPath', 'image', 'iscsi', 'nfs', 'photonPersistentDisk', 'portworxVolume'] as const),
	...(['quobyte', 'rbd', 'scaleIO', 'storageos', 'vsphereVolume'] as const),
];

/** Plural of a kind, with where from. */
export type Referred = { readonly what: string } | { readonly unknown: string } | undefined;

/** The first thing of the API that the pod cannot be without. */
export function apiReference(pod: Pod): Referred {
	const { serviceAccount, secrets, configMaps } = podReferences(pod);
	if (serviceAccount !== '') return { what: 'serviceaccounts' };
	if (secrets.length > 0) return { what: 'secrets' };
	if (configMaps.length > 0) return { what: 'configmaps' };
	if ((pod.spec?.resourceClaims ?? []).length > 0) return { what: 'resourceclaims' };
	for (const volume of pod.spec?.volumes ?? []) {
		const referred = referredByVolume(volume);
		if (referred !== undefined) return referred;
	}
	return undefined;
}

function referredByVolume(volume: Volume): Referred {
	if (SELF_CONTAINED.some((kind) => volume[kind] !== undefined)) return undefined;
	if (volume.configMap !== undefined) return { what: 'configmaps (via configmap volumes)' };
	if (volume.secret !== undefined) return { what: 'secrets (via secret volumes)' };
	if (volume.csi !== undefined) return { what: 'csidrivers (via CSI volumes)' };
	if (volume.glusterfs !== undefined) return { what: 'endpoints (via glusterFS volumes)' };
	if (volume.persistentVolumeClaim !== undefined) return { what: 'persistentvolumeclaims' };
	if (volume.ephemeral !== undefined) return { what: 'persistentvolumeclaims (via ephemeral volumes)' };
	if (volume.azureFile !== undefined) return { what: 'secrets (via azureFile volumes)' };
	if (volume.projected === undefined) return { unknown: `volume type for volume  ${JSON.stringify(volume.name)}` };
	for (const source of volume.projected.sources ?? []) {
		if (source.configMap !== undefined) return { what: 'configmaps (via projected volumes)' };
		if (source.secret !== undefined) return { what: 'secrets (via projected volumes)' };
		if (source.serviceAccountToken !== undefined) return { what: 'serviceaccounts (via projected volumes)' };
		if (source.clusterTrustBundle !== undefined) return { what: 'clustertrustbundles' };
		if (source.podCertificate !== undefined) return { what: 'podcertificates' };
		if (source.downwardAPI === undefined) return { unknown: `source for projected volume ${JSON.stringify(volume.name)}` };
	}
	return undefined;
}
