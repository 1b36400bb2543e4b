/** What the runtime says of a pod, and what is told when it cannot say. */
import type { Pod } from '../../api/gen/types.ts';
import { messageOf } from '../../base/errors.ts';
import { podEvent, type AgentContext } from '../context.ts';
import type { PodRuntime, SandboxRuntime } from '../runtime/runtime.ts';
import type { PodMemory } from './memory.ts';
import { uidOf } from './uid.ts';

/** At the beginning of a round. A runtime that cannot say is told of once, until it can again. */
export async function lookFirst(pod: Pod, memory: PodMemory, context: AgentContext, signal: AbortSignal): Promise<PodRuntime | undefined> {
	const from = context.clock.monotonic();
	try {
		const seen = await context.runtime.pod(uidOf(pod), signal);
		context.figures.podRelist.observe((context.clock.monotonic() - from) / 1000);
		memory.told.delete('FailedSync');
		return seen;
	} catch (error) {
		if (!signal.aborted && !memory.told.has('FailedSync')) {
			memory.told.add('FailedSync');
			podEvent(context, pod, 'Warning', 'FailedSync', `error determining status: ${messageOf(error)}`);
		}
		throw error;
	}
}

/** The pod's new sandbox: as upstream, that alone is asked for. */
export function lookAtSandbox(pod: Pod, sandboxId: string, context: AgentContext, signal: AbortSignal): Promise<SandboxRuntime> {
	return context.runtime.sandbox(sandboxId, signal).catch((error: unknown) => {
		if (!signal.aborted)
			podEvent(context, pod, 'Warning', 'FailedPodSandBoxStatus', `Unable to get pod sandbox status: ${messageOf(error)}`);
		throw error;
	});
}
