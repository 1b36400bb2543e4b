/** The step of a pod's start in which its claims are prepared. */
import type { Pod } from '../../api/gen/types.ts';
import { messageOf } from '../../base/errors.ts';
import { podEvent, type AgentContext } from '../context.ts';

export async function prepareClaims(pod: Pod, context: AgentContext, signal: AbortSignal): Promise<void> {
	if ((pod.spec?.resourceClaims ?? []).length === 0) return;
	await context.dra.claims.prepare(pod, signal).catch((error: unknown) => {
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
