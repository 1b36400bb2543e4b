/** Starts a pod, or those of its containers that are to run now. Every step that does not need another starts at once. */
import type { Pod } from '../../api/gen/types.ts';
import { settingsIn } from '../config/settings.ts';
import type { AgentContext } from '../context.ts';
import { comingImages } from '../image/coming.ts';
import { containerType } from '../metrics.ts';
import type { PodRuntime, SandboxOptions } from '../runtime/runtime.ts';
import { usersOfPod } from '../users/users-of-pod.ts';
import { setUpVolumes } from '../volume/volumes.ts';
import { lookAtSandbox } from './look.ts';
import { makeStatus } from './make-status.ts';
import type { PodMemory } from './memory.ts';
import type { PodPlan } from './plan.ts';
import { tell } from './report.ts';
import { runtimeHandlerOf } from './runtime-handler.ts';
import { createSandbox, prepareHosts, sandboxOptions } from './sandbox.ts';
import { startContainers } from './start-containers.ts';
import { ipsOf } from './status.ts';
import type { StatusWriter } from './status-writer.ts';
import { uidOf } from './uid.ts';

/** The pod's sandbox, where it has none, and the containers of the plan. When to look again because some did not start. */
export async function startPod(
	pod: Pod,
	seen: PodRuntime | undefined,
	p: PodPlan,
	memory: PodMemory,
	context: AgentContext,
	writer: StatusWriter,
	signal: AbortSignal,
): Promise<number | undefined> {
	const sandbox = await wantedSandbox(pod, seen, p, memory, context, signal);
	noteTries(p, memory, context);
	const images = comingImages(pod, p.start, memory, context, signal);
	const volumesReady = setUpVolumes(pod, context, signal);
	const hostsReady = prepareHosts(pod, seen?.sandboxes[0]?.ips ?? [], context);
	const [sandboxId, volumes] = await all(
		p.sandboxId === undefined ? createSandbox(pod, sandbox, context, signal) : Promise.resolve(p.sandboxId),
		volumesReady,
		hostsReady,
	);
	// A new sandbox's address is needed early only by variables that name it; the hosts file is filled in meanwhile.
	const addressed = (async (): Promise<readonly string[]> => {
		const isNew = p.sandboxId === undefined;
		const known = isNew ? { sandboxes: [await lookAtSandbox(pod, sandboxId, context, signal)] } : seen;
		const ips = ipsOf(pod, known, pod.status ?? {}, { nodeIps: context.options.nodeIps });
		await prepareHosts(pod, ips, context);
		// Who waits for images sees meanwhile that nothing else is lacking.
		if (isNew && !images.arrived) {
			const now = await context.runtime.pod(uidOf(pod), signal);
			tell(pod, await makeStatus(pod, now, memory, context), memory, writer);
		}
		return ips;
	})();
	const ready = { pod, seen, sandboxId, sandbox, volumes, images, addressed };
	const [started] = await Promise.allSettled([startContainers(ready, p.start, memory, context, writer, signal), addressed]);
	if (started.status === 'rejected') throw started.reason;
	return started.value;
}

/** What the pod's sandbox is, or is to be. */
async function wantedSandbox(
	pod: Pod,
	seen: PodRuntime | undefined,
	p: PodPlan,
	memory: PodMemory,
	context: AgentContext,
	signal: AbortSignal,
): Promise<SandboxOptions> {
	const attempt = p.sandboxAttempt ?? seen?.sandboxes[0]?.attempt ?? 0;
	const handler = pod.spec?.runtimeClassName === undefined ? '' : await runtimeHandlerOf(pod, context, signal);
	const users = await usersOfPod(pod, handler, p.sandboxId === undefined, context);
	return sandboxOptions(pod, attempt, handler, users, memory, context);
}

/** Each try counts, for the back-off of those that failed before and for the metric. */
function noteTries({ start }: PodPlan, { backoffs }: PodMemory, { clock, options, figures }: AgentContext): void {
	const { maxRestartMs } = settingsIn(options);
	for (const { container, backoffKey, failedAt } of start) {
		if (failedAt !== undefined) backoffs.bump(backoffKey, failedAt, clock.now(), maxRestartMs);
		figures.startedContainers.inc({ container_type: containerType(container.kind) });
	}
}

/** Waits for all to settle before the first failure is thrown, so that nothing goes on unseen. */
async function all<A, B, C>(a: Promise<A>, b: Promise<B>, c: Promise<C>): Promise<[A, B, C]> {
	await Promise.allSettled([a, b, c]);
	return Promise.all([a, b, c]);
}
