/** Ends all that runs of a pod: regular containers at once, sidecars after them in reverse order, then the sandboxes. */
import type { Pod } from '../../api/gen/types.ts';
import { allSteps } from '../../base/aggregate.ts';
import { stopContainer } from '../container/stop.ts';
import type { AgentContext } from '../context.ts';
import type { ContainerRuntime, PodRuntime } from '../runtime/runtime.ts';
import { containerNamed, containersOf } from './containers.ts';
import type { PodMemory } from './memory.ts';
import { callsForRestartAll } from './restart-all.ts';
import { asStep } from './step-failure.ts';

export async function stopContainers(
	pod: Pod,
	seen: PodRuntime,
	graceMs: number,
	memory: PodMemory,
	context: AgentContext,
	signal: AbortSignal,
): Promise<void> {
	const running = seen.containers.filter((c) => c.state === 'running' || c.state === 'unknown');
	const sidecars = containersOf(pod).flatMap((c) => (c.kind === 'sidecar' ? [c.spec.name] : []));
	const podIp = seen.sandboxes[0]?.ips[0] ?? context.options.nodeIps[0] ?? '';
	const stop = (container: ContainerRuntime, turn?: Promise<void>): Promise<void> => {
		const message = `Stopping container ${container.name}`;
		return stopContainer({ pod, container, graceMs, message, podIp, ...(turn === undefined ? {} : { turn }) }, memory, context, signal);
	};
	const all = running.filter((c) => !sidecars.includes(c.name)).map((c) => stop(c));
	let before: Promise<unknown> = Promise.all(all);
	for (const name of sidecars.toReversed()) {
		const turn = before.then(
			() => {},
			() => {},
		);
		const mine = running.filter((c) => c.name === name).map((c) => stop(c, turn));
		all.push(...mine);
		before = Promise.all([turn, ...mine]);
	}
	before.catch(() => {});
	await allSteps(all);
}

export async function stopSandboxes(seen: PodRuntime, context: AgentContext, signal: AbortSignal): Promise<void> {
	await allSteps(seen.sandboxes.map(({ id }) => asStep('KillPodSandbox', seen.uid, context.runtime.stopSandbox(id, signal), signal)));
}

/** Removes everything the runtime holds of the pod. */
export async function removeFromRuntime(seen: PodRuntime, context: AgentContext, signal: AbortSignal): Promise<void> {
	await Promise.all(seen.containers.map((c) => context.runtime.removeContainer(c.id, signal)));
	await Promise.all(seen.sandboxes.map((s) => context.runtime.removeSandbox(s.id, signal)));
}

/** Kills containers without grace and removes them, one after the other: they are to start anew in the sandbox that stays. */
export async function resetContainers(
	pod: Pod,
	containers: readonly ContainerRuntime[],
	memory: PodMemory,
	context: AgentContext,
	signal: AbortSignal,
): Promise<void> {
	for (const container of containers) {
		const { id, name, state, finishedAt, createdAt } = container;
		const spec = containerNamed(pod, name);
		if (spec !== undefined && callsForRestartAll(spec, container)) memory.resetAt.set(name, finishedAt ?? createdAt);
		else memory.resetAt.delete(name);
		if (state === 'running' || state === 'unknown') {
			await stopContainer({ pod, container, graceMs: 0, message: 'killing', podIp: '', atOnce: true }, memory, context, signal);
		}
		await asStep('RemoveContainer', name, context.runtime.removeContainer(id, signal), signal);
	}
}
