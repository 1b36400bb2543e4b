/** The step of a pod's start in which its claims are prepared, and that of its end in which they are unprepared. */
import type { Pod } from '../../api/gen/types.ts';
import { messageOf } from '../../base/errors.ts';
import { podEvent, type AgentContext } from '../context.ts';
import { extendedClaimOf } from './extended.ts';

export async function prepareClaims(pod: Pod, context: AgentContext, signal: AbortSignal): Promise<void> {
	if ((pod.spec?.resourceClaims ?? []).length === 0 && extendedClaimOf(pod) === undefined) return;
	const { clock, dra, figures } = context;
	await figures.dynamic.measured('PrepareResources', clock, dra.claims.prepare(pod, signal)).catch((error: unknown) => {
		if (!signal.aborted)
			podEvent(
				context,
				pod,
				'Warning',
				'FailedPrepareDynamicResources',
				`Failed to prepare dynamic resources: prepare dynamic resources: ${messageOf(error)}`,
			);
		throw error;
	});
}

/** After its last container. Idempotent. */
export async function unprepareClaims(uid: string, { clock, dra, figures }: AgentContext, signal: AbortSignal): Promise<void> {
	if (!dra.claims.has(uid)) return;
	await figures.dynamic.measured('UnprepareResources', clock, dra.claims.unprepare(uid, signal));
}
