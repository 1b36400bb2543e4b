/** The name of the plugin that handles a volume, as metrics say it. Pure. */
import type { PersistentVolume } from '../../../api/gen/types.ts';

/** The plugins that upstream's controller manager knows, by the field that chooses them. */
const PLUGINS = [
	['hostPath', 'kubernetes.io/host-path'],
	['nfs', 'kubernetes.io/nfs'],
	['iscsi', 'kubernetes.io/iscsi'],
	['fc', 'kubernetes.io/fc'],
	['flexVolume', 'kubernetes.io/flexvolume'],
	['local', 'kubernetes.io/local-volume'],
] as const;

export function pluginName({ spec }: PersistentVolume): string {
	if (spec?.csi !== undefined) return `kubernetes.io/csi:${spec.csi.driver}`;
	return PLUGINS.find(([field]) => spec?.[field] !== undefined)?.[1] ?? 'N/A';
}
