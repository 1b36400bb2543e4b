/** Ends one container: event, preStop hook, the wait for its turn, then the runtime's stop with the grace that is left. */
import type { Pod } from '../../api/gen/types.ts';
import { messageOf } from '../../base/errors.ts';
import { withDeadline } from '../../base/abort.ts';
import { podEvent, type AgentContext } from '../context.ts';
import { runHook } from '../hooks/run-hook.ts';
import { containerNamed } from '../pod/containers.ts';
import type { PodMemory } from '../pod/memory.ts';
import { asStep } from '../pod/step-failure.ts';
import type { ContainerRuntime } from '../runtime/runtime.ts';

export interface StopRequest {
	readonly pod: Pod;
	readonly container: ContainerRuntime;
	readonly graceMs: number;
	readonly message: string;
	readonly podIp: string;
	/** Sidecars wait for those that end before them; the wait takes from the grace. */
	readonly turn?: Promise<void>;
	/** Killed at once, without its preStop hook. */
	readonly atOnce?: boolean;
}

/** Upstream: a container stop never has less. */
const MIN_STOP_MS = 2000;

export async function stopContainer(request: StopRequest, memory: PodMemory, context: AgentContext, signal: AbortSignal): Promise<void> {
	const { pod, container, graceMs, message, turn } = request;
	const { clock, runtime } = context;
	const spec = containerNamed(pod, container.name);
	if (request.atOnce === true) {
		podEvent(context, pod, 'Normal', 'Killing', message, spec);
		return asStep('KillContainer', container.name, runtime.stopContainer(container.id, 0, signal), signal);
	}
	const from = clock.monotonic();
	const left = (): number => graceMs - (clock.monotonic() - from);
	podEvent(context, pod, 'Normal', 'Killing', message, spec);
	const hook = spec?.spec.lifecycle?.preStop;
	if (spec !== undefined && hook !== undefined && graceMs > 0 && !memory.preStopped.has(container.id)) {
		memory.preStopped.add(container.id);
		using deadline = withDeadline(clock, graceMs, 'preStop hook', signal);
		try {
			await runHook(pod, spec, hook, container.id, request.podIp, context, deadline.signal);
		} catch (error) {
			if (signal.aborted) throw error;
			context.log.warn('preStop hook failed', { pod: pod.metadata.name, container: container.name, reason: messageOf(error) });
			podEvent(context, pod, 'Warning', 'FailedPreStopHook', 'PreStopHook failed', spec);
		}
	}
	if (turn !== undefined && left() > 0) {
		using late = withDeadline(clock, left(), 'termination of the containers before it', signal);
		const aborted = new Promise<void>((resolve) => late.signal.addEventListener('abort', () => resolve(), { once: true }));
		await Promise.race([turn, aborted]);
	}
	await asStep('KillContainer', container.name, runtime.stopContainer(container.id, Math.max(MIN_STOP_MS, left()), signal), signal);
}
