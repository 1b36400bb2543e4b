/** The strategic merge patch that makes the API's status ours, leaving what others own. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { Pod, PodStatus } from '../../api/gen/types.ts';

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

/** Undefined when nothing differs. The uid keeps the patch from another pod of the same name. */
export function statusPatch(pod: Pod, status: PodStatus): object | undefined {
	const now = pod.status ?? {};
	const patch: Record<string, unknown> = {};
	for (const field of OWNED) {
		const [want, have] = [status[field], now[field]];
		if (isDeepStrictEqual(want, have)) continue;
		if (want === undefined) patch[field] = null;
		else if (MERGED.has(field) && Array.isArray(have) && have.length > 0) patch[field] = [{ $patch: 'replace' }, ...(want as unknown[])];
		else patch[field] = want;
	}
	const conditions = (status.conditions ?? []).filter((c) => !isDeepStrictEqual(c, now.conditions?.find((n) => n.type === c.type)));
	if (conditions.length > 0) patch['conditions'] = conditions;
	if (Object.keys(patch).length === 0) return undefined;
	return { metadata: { uid: pod.metadata.uid }, status: patch };
}
