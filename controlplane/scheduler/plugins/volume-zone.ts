/** VolumeZone: a node in the zones and regions that labels of the pod's volumes name. */
import type { PersistentVolume, Pod } from '../../../api/gen/types.ts';
import { keyOf } from '../../../api/resource.ts';
import { classOfClaim, waitsForConsumer } from '../../../api/storage/class.ts';
import { REGION_LABEL, ZONE_LABEL } from '../../../api/topology-labels.ts';
import { impossible, type FilterPlugin } from '../framework.ts';
import { notFound } from '../storage/claims.ts';
import type { StorageView } from '../storage/view.ts';

/** Each label that volumes and nodes may have, with the one of today. */
const LABELS = [
	['failure-domain.beta.kubernetes.io/zone', ZONE_LABEL],
	['failure-domain.beta.kubernetes.io/region', REGION_LABEL],
	[ZONE_LABEL, ZONE_LABEL],
	[REGION_LABEL, REGION_LABEL],
] as const;

interface Topology {
	readonly key: string;
	readonly current: string;
	readonly values: readonly string[];
}

export function volumeZone(view: StorageView): FilterPlugin {
	return {
		name: 'VolumeZone',
		wokenBy: ['storageClassChanged', 'claimChanged', 'volumeChanged', 'nodeAdded', 'nodeLabel'],
		prepare({ pod }) {
			const topologies = topologiesOf(pod, view);
			if ('refused' in topologies) return impossible(topologies.refused);
			if (topologies.length === 0) return 'skip';
			return ({ node }) => {
				const labels = node.metadata.labels ?? {};
				// Where no zone is known, none is asked for.
				if (!LABELS.some(([label]) => labels[label] !== undefined)) return undefined;
				const fits = topologies.every(({ key, current, values }) => values.includes(labels[key] ?? labels[current] ?? '\0'));
				return fits ? undefined : impossible('node(s) had no available volume zone');
			};
		},
	};
}

function topologiesOf(pod: Pod, view: StorageView): readonly Topology[] | { readonly refused: string } {
	const found: Topology[] = [];
	for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
		if (persistentVolumeClaim === undefined) continue;
		const name = persistentVolumeClaim.claimName;
		const claim = view.claim(keyOf({ metadata: { namespace: pod.metadata.namespace, name } }));
		if (claim === undefined) return { refused: notFound(name) };
		const volumeName = claim.spec?.volumeName ?? '';
		if (volumeName === '') {
			const storageClass = classOfClaim(claim);
			if (storageClass === '') return { refused: 'PersistentVolumeClaim had no pv name and storageClass name' };
			const its = view.storageClass(storageClass);
			if (its === undefined) return { refused: `storageclass.storage.k8s.io "${storageClass}" not found` };
			if (waitsForConsumer(its)) continue;
			return { refused: 'PersistentVolume had no name' };
		}
		const volume = view.volume(volumeName);
		if (volume === undefined) return { refused: `persistentvolume "${volumeName}" not found` };
		found.push(...labelled(volume));
	}
	return found;
}

/** Values are lists with "__" between; one with an empty part says nothing. */
function labelled({ metadata }: PersistentVolume): readonly Topology[] {
	return LABELS.flatMap(([key, current]) => {
		const values = metadata.labels?.[key]?.split('__').map((value) => value.trim()) ?? [''];
		return values.includes('') ? [] : [{ key, current, values }];
	});
}
