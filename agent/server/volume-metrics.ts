/** kubelet_volume_stats_*: what claims hold. Pure; names and help as upstream's. */
import type { Pod } from '../../api/gen/types.ts';
import type { VolumeFigures } from '../volume/stats.ts';
import type { Family, Sample } from './exposition.ts';

type Figure = 'capacityBytes' | 'availableBytes' | 'usedBytes' | 'inodes' | 'inodesFree' | 'inodesUsed';

const FIGURES: readonly (readonly [Figure, string, string])[] = [
	['capacityBytes', 'capacity_bytes', 'Capacity in bytes of the volume'],
	['availableBytes', 'available_bytes', 'Number of available bytes in the volume'],
	['usedBytes', 'used_bytes', 'Number of used bytes in the volume'],
	['inodes', 'inodes', 'Maximum number of inodes in the volume'],
	['inodesFree', 'inodes_free', 'Number of free inodes in the volume'],
	['inodesUsed', 'inodes_used', 'Number of used inodes in the volume'],
];

/** A claim of several pods is told of once. */
export function volumeMetrics(pods: readonly Pod[], figures: ReadonlyMap<string, readonly VolumeFigures[]>): readonly Family[] {
	const claims = new Map<string, { readonly labels: Record<string, string>; readonly volume: VolumeFigures }>();
	for (const { metadata } of pods)
		for (const volume of figures.get(metadata.uid ?? '') ?? []) {
			if (volume.claim === undefined) continue;
			const labels = { namespace: metadata.namespace ?? '', persistentvolumeclaim: volume.claim };
			claims.set(`${labels.namespace}/${labels.persistentvolumeclaim}`, { labels, volume });
		}
	const family = (name: string, help: string, value: (v: VolumeFigures) => number | undefined): Family => ({
		name: `kubelet_volume_stats_${name}`,
		type: 'gauge',
		help: `[ALPHA] ${help}`,
		samples: [...claims.values()].map(({ labels, volume }): Sample => ({ labels, value: value(volume) })),
	});
	return [
		...FIGURES.map(([key, name, help]) => family(name, help, (v) => v[key])),
		family(
			'health_status_abnormal',
			'Abnormal volume health status. The count is either 1 or 0. 1 indicates the volume is unhealthy, 0 indicates volume is healthy',
			({ abnormal }) => (abnormal === undefined ? undefined : Number(abnormal)),
		),
	];
}
