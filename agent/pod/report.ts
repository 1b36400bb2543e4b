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
	tell(pod, status, memory, writer);
	return { seen, status };
}

/** That a pod has ended frees what it has for others: its phase stays until nothing of it runs, as upstream's status manager holds it back. */
export function tell(pod: Pod, status: PodStatus, memory: PodMemory, writer: StatusWriter): void {
	if (!isTerminal({ ...pod, status }) || isTerminal(pod)) return writer.set(pod, status);
	const { phase = 'Pending', reason, message } = memory.alive ?? pod.status ?? {};
	const { reason: _reason, message: _message, ...rest } = status;
	writer.set(pod, { ...rest, phase, ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) });
}

export function follow(pod: Pod, seen: PodRuntime | undefined, memory: PodMemory, context: AgentContext): void {
	if (seen === undefined) return;
	memory.probes.follow(pod, seen, ipsOf(pod, seen, pod.status ?? {}, { nodeIps: context.options.nodeIps })[0] ?? '');
}
