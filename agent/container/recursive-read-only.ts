/** Whether what is mounted below a read-only volume is read-only too. Pure; upstream's resolveRecursiveReadOnly. */
import type { VolumeMount } from '../../api/gen/types.ts';

/** Why the mount cannot be as it is asked for; empty when it can. @param supported by the runtime's handler */
export function recursionFault(
	{ name, readOnly, recursiveReadOnly = 'Disabled', mountPropagation }: VolumeMount,
	supported: boolean,
): string {
	if (recursiveReadOnly === 'Disabled') return '';
	const refused = (why: string): string => `volume "${name}" requested recursive read-only mode, but it is ${why}`;
	if (readOnly !== true) return refused('not read-only');
	if (mountPropagation !== undefined && mountPropagation !== 'None')
		return refused(`not compatible with propagation "${mountPropagation}"`);
	return recursiveReadOnly === 'Enabled' && !supported ? refused('not supported by the runtime') : '';
}

export function isRecursive(mount: VolumeMount, supported: boolean): boolean {
	return supported && (mount.recursiveReadOnly ?? 'Disabled') !== 'Disabled' && recursionFault(mount, supported) === '';
}
