/** Starts a pod, or those of its containers that are to run now. Every step that does not need another starts at once. */
import type { Pod } from '../../api/gen/types.ts';
import { messageOf } from '../../base/errors.ts';
import { settingsIn } from '../config/settings.ts';
import { createContainer, startContainer } from '../container/start.ts';
import { stopContainer } from '../container/stop.ts';
import { podEvent, type AgentContext } from '../context.ts';
import { runHook } from '../hooks/run-hook.ts';
import { ensureImage } from '../image/ensure.ts';
import { bringVolumeImages, countMounts, mountedImages } from '../image/volume-image.ts';
import { containerType } from '../metrics.ts';
import type { ImageInfo, PodRuntime, SandboxOptions } from '../runtime/runtime.ts';
import { usersOfPod } from '../users/users-of-pod.ts';
import { setUpVolumes, type VolumePaths } from '../volume/volumes.ts';
import { earliest } from './earliest.ts';
import { lookAtSandbox } from './look.ts';
import type { PodMemory } from './memory.ts';
import type { PodPlan, StartAction } from './plan.ts';
import { report } from './report.ts';
import { runtimeHandlerOf } from './runtime-handler.ts';
import { createSandbox, prepareHosts, sandboxOptions } from './sandbox.ts';
import { RETRY_MS, StartFailure } from './start-failure.ts';
import { ipsOf } from './status.ts';
import type { StatusWriter } from './status-writer.ts';

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
	const { clock, options, figures } = context;
	const attempt = p.sandboxAttempt ?? seen?.sandboxes[0]?.attempt ?? 0;
	const handler = pod.spec?.runtimeClassName === undefined ? '' : await runtimeHandlerOf(pod, context, signal);
	const users = await usersOfPod(pod, handler, p.sandboxId === undefined, context);
	const sandbox = sandboxOptions(pod, attempt, handler, users, memory, context);
	const { maxRestartMs } = settingsIn(options);
	for (const { backoffKey, failedAt } of p.start)
		if (failedAt !== undefined) memory.backoffs.bump(backoffKey, failedAt, clock.now(), maxRestartMs);
	for (const { container } of p.start) figures.startedContainers.inc({ container_type: containerType(container.kind) });
	const volumeImages = bringVolumeImages(pod, memory, context, signal);
	// The image of a container that waits for those it mounts is not asked for.
	const bring = async ({ container }: StartAction): Promise<Images> => {
		const mounted = await mountedImages(pod, container, volumeImages, context);
		return { mounted, image: await settled(ensureImage(pod, container, memory, context, signal)) };
	};
	const images = new Map(p.start.map((a) => [a, settled(bring(a))] as const));
	const volumesReady = setUpVolumes(pod, context, signal);
	const hostsReady = prepareHosts(pod, seen?.sandboxes[0]?.ips ?? [], context);
	const [sandboxId, volumes] = await all(
		p.sandboxId === undefined ? createSandbox(pod, sandbox, context, signal) : Promise.resolve(p.sandboxId),
		volumesReady,
		hostsReady,
	);
	// A new sandbox's address is needed early only by variables that name it; the hosts file is filled in meanwhile.
	const addressed = (async (): Promise<readonly string[]> => {
		const now = p.sandboxId === undefined ? await lookAtSandbox(pod, context, signal) : seen;
		const ips = ipsOf(pod, now, pod.status ?? {}, { nodeIps: options.nodeIps });
		await prepareHosts(pod, ips, context);
		return ips;
	})();
	addressed.catch(() => {});
	let againMs: number | undefined;
	const fail = (action: StartAction, error: unknown): void => {
		if (signal.aborted || !(error instanceof StartFailure)) throw error;
		memory.waiting.set(action.container.spec.name, { reason: error.reason, message: error.message });
		againMs = earliest(againMs, error.againMs);
		figures.startedContainersErrors.inc({ container_type: containerType(action.container.kind), code: error.reason });
		context.log.warn('container not started', {
			pod: `${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''}`,
			container: action.container.spec.name,
			why: error.reason,
			reason: error.message,
		});
	};
	const ready: Ready = { pod, seen, sandboxId, sandbox, volumes, addressed };
	const created = await Promise.all(
		p.start.map(async (action) => {
			try {
				return await create(ready, action, valueOf(await images.get(action)), context, signal);
			} catch (error) {
				fail(action, error);
				return undefined;
			}
		}),
	);
	await addressed;
	for (const [i, action] of p.start.entries()) {
		const id = created[i];
		if (id === undefined) continue;
		try {
			const hook = action.container.spec.lifecycle?.postStart;
			if (hook !== undefined) memory.starting.add(id);
			await startContainer(pod, action, id, context, signal);
			memory.waiting.delete(action.container.spec.name);
			if (hook !== undefined) await postStart(pod, action, id, memory, context, writer, signal);
		} catch (error) {
			memory.starting.delete(id);
			fail(action, error);
		}
	}
	return againMs;
}

/** What containers are made of, beside their images. */
interface Ready {
	readonly pod: Pod;
	readonly seen: PodRuntime | undefined;
	readonly sandboxId: string;
	readonly sandbox: SandboxOptions;
	readonly volumes: VolumePaths;
	/** The pod's addresses. */
	readonly addressed: Promise<readonly string[]>;
}

/** The new container's id. */
async function create(ready: Ready, action: StartAction, images: Images, context: AgentContext, signal: AbortSignal): Promise<string> {
	const { pod, seen, sandboxId, sandbox, addressed } = ready;
	const { mounted } = images;
	try {
		const image = valueOf(images.image);
		const podIps = namesAddress(action) ? await addressed : [];
		const volumes = new Map([...ready.volumes, ...mounted]);
		const input = { pod, action, image, sandboxId, sandbox, podIps, volumes, targetId: targetOf(action, seen) };
		const id = await createContainer(input, context, signal);
		countMounts(action.container, mounted, context.figures);
		return id;
	} catch (error) {
		countMounts(action.container, mounted, context.figures, error);
		throw error;
	}
}

async function postStart(
	pod: Pod,
	action: StartAction,
	id: string,
	memory: PodMemory,
	context: AgentContext,
	writer: StatusWriter,
	signal: AbortSignal,
): Promise<void> {
	const hook = action.container.spec.lifecycle?.postStart;
	if (hook === undefined) return;
	const { status } = await report(pod, memory, context, writer, signal);
	try {
		await runHook(pod, action.container, hook, id, status.podIP ?? '', context, signal);
	} catch (error) {
		if (signal.aborted) throw error;
		podEvent(context, pod, 'Warning', 'FailedPostStartHook', 'PostStartHook failed', action.container);
		const container = (await context.runtime.pod(pod.metadata.uid ?? '', signal))?.containers.find((c) => c.id === id);
		if (container !== undefined) {
			const graceMs = (pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000;
			await stopContainer({ pod, container, graceMs, message: 'FailedPostStartHook', podIp: status.podIP ?? '' }, memory, context, signal);
		}
		throw new StartFailure('PostStartHookError', messageOf(error), RETRY_MS, { cause: error });
	} finally {
		memory.starting.delete(id);
	}
}

/** Waits for all to settle before the first failure is thrown, so that nothing goes on unseen. */
async function all<A, B, C>(a: Promise<A>, b: Promise<B>, c: Promise<C>): Promise<[A, B, C]> {
	await Promise.allSettled([a, b, c]);
	return Promise.all([a, b, c]);
}

/** What a container runs, and what it mounts. */
interface Images {
	readonly image: Outcome<ImageInfo>;
	readonly mounted: VolumePaths;
}

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

function settled<T>(promise: Promise<T>): Promise<Outcome<T>> {
	return promise.then(
		(value) => ({ value }),
		(error: unknown) => ({ error }),
	);
}

function valueOf<T>(outcome: Outcome<T> | undefined): T {
	if (outcome === undefined || 'error' in outcome) throw outcome?.error;
	return outcome.value;
}

/** The container whose processes an ephemeral one is to see; '' for one that names none. */
function targetOf({ container: { target } }: StartAction, seen: PodRuntime | undefined): string {
	if (target === '') return '';
	const found = seen?.containers.find((c) => c.name === target);
	if (found !== undefined) return found.id;
	throw new StartFailure('CreateContainerConfigError', `unable to find target container ${target}`, RETRY_MS);
}

function namesAddress(action: StartAction): boolean {
	return (action.container.spec.env ?? []).some((e) => e.valueFrom?.fieldRef?.fieldPath.startsWith('status.podIP') === true);
}
