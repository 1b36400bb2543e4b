/** Which pods a controller deletes first (upstream's ActivePods, and ActivePodsWithRanks with what ReplicaSets add). Pure. */
import type { ContainerStatus, Pod } from '../../api/gen/types.ts';
import { readySince } from '../../api/pod/conditions.ts';

export interface Finer {
	/** Among pods of one phase that are alike ready. */
	readonly among?: (a: Pod, b: Pod) => number;
	/** Of two times since when, ms; 0 is none. */
	readonly byAge?: (a: Pod, b: Pod, since: readonly [number, number]) => number;
}

/** For sorting: the least useful first. */
export function lessUseful(a: Pod, b: Pod, { among = () => 0, byAge = younger }: Finer = {}): number {
	const [ra, rb] = [readySince(a), readySince(b)];
	return (
		assigned(a) - assigned(b) ||
		phaseOrder(a) - phaseOrder(b) ||
		Number(ra !== undefined) - Number(rb !== undefined) ||
		among(a, b) ||
		(ra !== undefined && rb !== undefined ? byAge(a, b, [ra, rb]) : 0) ||
		restarts(b.status?.containerStatuses) - restarts(a.status?.containerStatuses) ||
		restarts(sidecars(b)) - restarts(sidecars(a)) ||
		byAge(a, b, [created(a), created(b)])
	);
}

function assigned({ spec }: Pod): number {
	return (spec?.nodeName ?? '') === '' ? 0 : 1;
}

function phaseOrder({ status }: Pod): number {
	return status?.phase === 'Running' ? 2 : status?.phase === 'Unknown' ? 1 : 0;
}

function restarts(containers: readonly ContainerStatus[] | undefined): number {
	return Math.max(0, ...(containers ?? []).map((c) => c.restartCount));
}

function sidecars({ spec, status }: Pod): readonly ContainerStatus[] {
	const names = new Set((spec?.initContainers ?? []).filter((c) => c.restartPolicy === 'Always').map((c) => c.name));
	return (status?.initContainerStatuses ?? []).filter((c) => names.has(c.name));
}

function created(pod: Pod): number {
	return Date.parse(pod.metadata.creationTimestamp ?? '') || 0;
}

/** What has no time comes first, then what is younger. */
function younger(_a: Pod, _b: Pod, [since, other]: readonly [number, number]): number {
	return since === 0 || other === 0 ? since - other : other - since;
}
