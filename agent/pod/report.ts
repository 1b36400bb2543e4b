/** What a round tells of a pod: its probes follow what the runtime shows, and the API learns its status. */
import type { Pod, PodStatus } from '../../api/gen/types.ts';
import { isTerminal } from '../../api/pod/phase.ts';
import type { AgentContext } from '../context.ts';
import type { PodRuntime } from '../runtime/runtime.ts';
import { makeStatus } from './make-status.ts';
import type { PodMemory } from './memory.ts';
import { ipsOf } from './status.ts';
import type { StatusWriter } from './status-writer.ts';
import { uidOf } from './uid.ts';

/** Looks again. */
export async function report(pod: Pod, memory: PodMemory, context: AgentContext, writer: StatusWriter, signal: AbortSignal) {
	const seen = await context.runtime.pod(uidOf(pod), signal);
	follow(pod, seen, memory, context);
	const status = await makeStatus(pod, seen, memory, context);
	tell(pod, status, context, writer);
	return { seen, status };
}

/** That a pod has ended frees its claims for others: it is not said before they are unprepared. */
export function tell(pod: Pod, status: PodStatus, context: AgentContext, writer: StatusWriter): void {
	if (!isTerminal({ ...pod, status }) || !context.dra.claims.holds(uidOf(pod))) writer.set(pod, status);
}

export function follow(pod: Pod, seen: PodRuntime | undefined, memory: PodMemory, context: AgentContext): void {
	if (seen === undefined) return;
	memory.probes.follow(pod, seen, ipsOf(pod, seen, pod.status ?? {}, { nodeIps: context.options.nodeIps })[0] ?? '');
}
