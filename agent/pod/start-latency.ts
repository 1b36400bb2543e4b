/**
 * How long a pod took from its creation until the API showed all its containers running, as upstream's pod startup SLI has it: in all, and without the
 * pulls of its images and its init containers. Pure.
 */
import type { Pod } from '../../api/gen/types.ts';

/** Of one pull, ms since the epoch. */
export interface Span {
	readonly from: number;
	readonly to: number;
}

export interface StartLatency {
	readonly totalMs: number;
	/** Undefined of a pod with volumes that others provide: upstream leaves it out. */
	readonly sliMs: number | undefined;
}

/** Undefined while it does not run. @param now when the API showed it */
export function startLatency(pod: Pod, pulls: readonly Span[], now: number): StartLatency | undefined {
	const created = Date.parse(pod.metadata.creationTimestamp ?? '');
	const statuses = pod.status?.containerStatuses ?? [];
	if (Number.isNaN(created) || statuses.length === 0 || !statuses.every(({ state }) => state?.running !== undefined)) return undefined;
	const totalMs = now - created;
	const provided = (pod.spec?.volumes ?? []).some((v) => v.persistentVolumeClaim !== undefined || v.ephemeral !== undefined);
	return { totalMs, sliMs: provided ? undefined : Math.max(0, totalMs - union(pulls) - initMs(pod)) };
}

/** From the first one's start to the last one's end. */
function initMs({ status }: Pod): number {
	const ended = (status?.initContainerStatuses ?? []).flatMap(({ state }) => {
		const { startedAt, finishedAt } = state?.terminated ?? {};
		return startedAt === undefined || finishedAt === undefined ? [] : [[Date.parse(startedAt), Date.parse(finishedAt)] as const];
	});
	return ended.length === 0 ? 0 : Math.max(...ended.map(([, to]) => to)) - Math.min(...ended.map(([from]) => from));
}

/** What overlaps counts once. */
function union(spans: readonly Span[]): number {
	let [sum, until] = [0, 0];
	for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
		sum += Math.max(0, to - Math.max(from, until));
		until = Math.max(until, to);
	}
	return sum;
}
