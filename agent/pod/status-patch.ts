/** The strategic merge patch that makes the API's status ours, leaving what others own. Pure. */
import type { Pod, PodCondition, PodStatus } from '../../api/gen/types.ts';
import { sameButNulls } from '../../api/same-json.ts';

/** Fields of which the agent is the only writer. */
const OWNED = [
	'phase',
	'reason',
	'message',
	'hostIP',
	'hostIPs',
	'podIP',
	'podIPs',
	'startTime',
	'initContainerStatuses',
	'containerStatuses',
	'ephemeralContainerStatuses',
	'observedGeneration',
] as const;

/** Lists that a strategic patch would merge by key. */
const MERGED: ReadonlySet<string> = new Set(['hostIPs', 'podIPs']);

/** Conditions of the agent's that are there only while they hold. */
const PASSING: ReadonlySet<string> = new Set(['PodResizePending', 'PodResizeInProgress']);

/**
 * Undefined when nothing differs. The uid keeps the patch from another pod of the same name.
 * @param now what the API has
 */
export function statusPatch(pod: Pod, now: PodStatus, status: PodStatus): object | undefined {
	const patch: Record<string, unknown> = {};
	for (const field of OWNED) {
		const [want, have] = [status[field], now[field]];
		if (sameButNulls(want, have)) continue;
		if (want === undefined) patch[field] = null;
		else if (MERGED.has(field) && Array.isArray(have) && have.length > 0) patch[field] = [{ $patch: 'replace' }, ...(want as unknown[])];
		else patch[field] = want;
	}
	const conditions = (status.conditions ?? [])
		.filter(
			(c) =>
				!sameCondition(
					c,
					now.conditions?.find((n) => n.type === c.type),
				),
		)
		// What is not said any more must be taken away: a merge keeps it.
		.map((c) => ({ ...c, reason: c.reason ?? null, message: c.message ?? null }));
	const over = (now.conditions ?? [])
		.filter((c) => PASSING.has(c.type) && status.conditions?.some((s) => s.type === c.type) !== true)
		.map(({ type }) => ({ $patch: 'delete', type }));
	if (conditions.length + over.length > 0) patch['conditions'] = [...conditions, ...over];
	if (Object.keys(patch).length === 0) return undefined;
	return { metadata: { uid: pod.metadata.uid }, status: patch };
}

function sameCondition(a: PodCondition, b: PodCondition | undefined): boolean {
	const facts = (c: PodCondition): unknown => [c.status, c.reason ?? '', c.message ?? '', c.lastTransitionTime, c.observedGeneration];
	return b !== undefined && sameButNulls(facts(a), facts(b));
}

/** The status with the times of an earlier one where nothing else has changed. */
export function withTimesOf(status: PodStatus, earlier: PodStatus): PodStatus {
	const conditions = status.conditions?.map((c) => {
		const old = earlier.conditions?.find((e) => e.type === c.type && e.status === c.status);
		return old?.lastTransitionTime === undefined ? c : { ...c, lastTransitionTime: old.lastTransitionTime };
	});
	return {
		...status,
		...(conditions === undefined ? {} : { conditions }),
		...(earlier.startTime === undefined ? {} : { startTime: earlier.startTime }),
	};
}
