/** Which pods end together when the node shuts down, and how long each may take. Pure. */
import type { Pod } from '../../api/gen/types.ts';
import type { ShutdownGroup, ShutdownSettings } from '../config/shutdown-settings.ts';

export interface PodGroup extends ShutdownGroup {
	readonly pods: readonly Pod[];
}

/** Lowest priority first. A pod belongs to the highest group that is not above it; one below them all to the lowest. */
export function groupsOf(settings: ShutdownSettings, pods: readonly Pod[]): readonly PodGroup[] {
	const indexOf = (pod: Pod): number =>
		Math.max(
			0,
			settings.findLastIndex((group) => group.priority <= (pod.spec?.priority ?? 0)),
		);
	return settings.map((group, index) => ({ ...group, pods: pods.filter((pod) => indexOf(pod) === index) }));
}

/** What the pod asks for, where that is less. */
export function graceSecondsOf(pod: Pod, group: ShutdownGroup): number {
	return Math.min(group.graceSeconds, pod.spec?.terminationGracePeriodSeconds ?? group.graceSeconds);
}

/** All groups, one after the other. */
export function wholeMs(settings: ShutdownSettings): number {
	return settings.reduce((sum, { graceSeconds }) => sum + graceSeconds, 0) * 1000;
}
