/** The postStart hook of a container that has just been started: one whose hook fails is ended. */
import type { Pod } from '../../api/gen/types.ts';
import { messageOf } from '../../base/errors.ts';
import { stopContainer } from '../container/stop.ts';
import { podEvent, type AgentContext } from '../context.ts';
import { runHook } from '../hooks/run-hook.ts';
import type { PodMemory } from './memory.ts';
import type { StartAction } from './plan.ts';
import { report } from './report.ts';
import { RETRY_MS, StartFailure } from './start-failure.ts';
import type { StatusWriter } from './status-writer.ts';
import { uidOf } from './uid.ts';

/** Meanwhile the status says that the container runs and has not started. StartFailure when the hook failed. */
export async function postStart(
	pod: Pod,
	{ container }: StartAction,
	id: string,
	memory: PodMemory,
	context: AgentContext,
	writer: StatusWriter,
	signal: AbortSignal,
): Promise<void> {
	const hook = container.spec.lifecycle?.postStart;
	if (hook === undefined) return;
	const { status } = await report(pod, memory, context, writer, signal);
	const podIp = status.podIP ?? '';
	try {
		await runHook(pod, container, hook, id, podIp, context, signal);
	} catch (error) {
		if (signal.aborted) throw error;
		podEvent(context, pod, 'Warning', 'FailedPostStartHook', 'PostStartHook failed', container);
		const started = (await context.runtime.pod(uidOf(pod), signal))?.containers.find((c) => c.id === id);
		if (started !== undefined) {
			const graceMs = (pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000;
			await stopContainer({ pod, container: started, graceMs, message: 'FailedPostStartHook', podIp }, memory, context, signal);
		}
		throw new StartFailure('PostStartHookError', messageOf(error), RETRY_MS, { cause: error });
	} finally {
		memory.starting.delete(id);
	}
}
