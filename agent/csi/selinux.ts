/** SELinux: a volume mounted with the pod's label, where host, driver and pod allow it, so that nobody relabels its files one by one. */
import type { CSIDriver, Pod, SELinuxOptions } from '../../api/gen/types.ts';
import { hasSelinux } from '../../host/selinux.ts';
import type { CsiSource } from './source.ts';

export function labelOption(pod: Pod, source: CsiSource, object: CSIDriver | undefined, selinux = hasSelinux()): readonly string[] {
	if (!selinux || object?.spec.seLinuxMount !== true || source.block) return [];
	// Other volumes may be shared by pods of different labels.
	if (!source.accessModes.includes('ReadWriteOncePod') || pod.spec?.securityContext?.seLinuxChangePolicy === 'Recursive') return [];
	const label = labelOf(pod);
	return label === undefined ? [] : [`context="${label}"`];
}

/** The one label of all containers; undefined where they differ or leave it to the runtime. */
function labelOf({ spec }: Pod): string | undefined {
	const own = spec?.securityContext?.seLinuxOptions;
	const labels = new Set(
		[...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map((c) => text({ ...own, ...c.securityContext?.seLinuxOptions })),
	);
	const [label] = labels;
	return labels.size === 1 ? label : undefined;
}

/** Files' defaults of the container policy; without a level the runtime makes one up. */
function text({ user, role, type, level }: SELinuxOptions): string | undefined {
	if (level === undefined || level === '') return undefined;
	return [user || 'system_u', role || 'object_r', type || 'container_file_t', level].join(':');
}
