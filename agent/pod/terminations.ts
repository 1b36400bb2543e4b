/** Which containers have ended since a status was made before, as upstream's metric of terminations counts them. Pure. */
import type { ContainerStatus, PodStatus } from '../../api/gen/types.ts';
import type { ContainerType } from '../metrics.ts';

export interface Termination {
	readonly container_type: ContainerType;
	readonly exit_code: string;
	readonly reason: string;
}

export function terminations(before: PodStatus, after: PodStatus): readonly Termination[] {
	return [
		...ended('init_container', before.initContainerStatuses, after.initContainerStatuses),
		...ended('container', before.containerStatuses, after.containerStatuses),
		...ended('ephemeral_container', before.ephemeralContainerStatuses, after.ephemeralContainerStatuses),
	];
}

function ended(
	type: ContainerType,
	before: readonly ContainerStatus[] = [],
	after: readonly ContainerStatus[] = [],
): readonly Termination[] {
	return after.flatMap(({ name, state }) => {
		const { terminated } = state ?? {};
		if (terminated === undefined || before.find((c) => c.name === name)?.state?.terminated !== undefined) return [];
		return [{ container_type: type, exit_code: String(terminated.exitCode), reason: terminated.reason ?? '' }];
	});
}
