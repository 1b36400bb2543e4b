/** One round for a pod that is to run: look, plan, act, report. Every step that does not need another starts at once. */
import type { Pod } from '../../api/gen/types.ts';
import { isTerminal } from '../../api/pod/phase.ts';
import { messageOf } from '../../base/errors.ts';
import { settingsIn } from '../config/settings.ts';
import { ensureImage } from '../image/ensure.ts';
import { bringVolumeImages, mountedImages } from '../image/volume-image.ts';
import { createContainer, startContainer } from '../container/start.ts';
import { stopContainer } from '../container/stop.ts';
import { podEvent, type AgentContext } from '../context.ts';
import { prepareClaims } from '../dra/prepare.ts';
import { runHook } from '../hooks/run-hook.ts';
import { containerType } from '../metrics.ts';
import { actuate } from '../resize/actuate.ts';
import type { ImageInfo, PodRuntime } from '../runtime/runtime.ts';
import { usersOfPod } from '../users/users-of-pod.ts';
import { refreshVolumes, setUpVolumes, type VolumePaths } from '../volume/volumes.ts';
import { containerNamed } from './containers.ts';
import { lookAtSandbox, lookFirst } from './look.ts';
import { isStarted, makeStatus } from './make-status.ts';
import type { PodMemory } from './memory.ts';
import { plan, type Knowledge, type PodPlan, type StartAction } from './plan.ts';
import { follow, report, tell } from './report.ts';
import { runtimeHandlerOf } from './runtime-handler.ts';
import { createSandbox, prepareHosts, sandboxOptions } from './sandbox.ts';
import { RETRY_MS, StartFailure } from './start-failure.ts';
import { ipsOf } from './status.ts';
import type { StatusWriter } from './status-writer.ts';
import { resetContainers, stopContainers, stopSandboxes } from './stop-pod.ts';
import { startsInLogs } from './starts-in-logs.ts';

/** What could not be resized is tried again. */
const RESIZE_RETRY_MS = 10_000;

export interface SyncResult {
	readonly againMs: number | undefined;
	/** The pod ran out, or its deadline passed. */
	readonly ended: 'completed' | 'deadline' | undefined;
}

export async function syncPod(
	pod: Pod,
	memory: PodMemory,
	context: AgentContext,
	writer: StatusWriter,
	signal: AbortSignal,
): Promise<SyncResult> {
	const { clock, runtime, options } = context;
	const uid = pod.metadata.uid ?? '';
	const found = memory.first === undefined ? await lookFirst(pod, memory, context, signal) : memory.first.seen;
	memory.first = undefined;
	const resized = await actuate(pod, found, context, signal);
	const seen = resized === 'done' ? await runtime.pod(uid, signal) : found;
	follow(pod, seen, memory, context);
	if ((untilDeadline(pod, memory, clock.now()) ?? 1) <= 0) return { againMs: undefined, ended: 'deadline' };
	const starts = await startsInLogs(pod, seen, options.podLogsDir);
	const p = plan(pod, seen, knowledge(pod, memory, context, starts));
	for (const [name, waiting] of p.waiting)
		if (memory.waiting.get(name)?.reason !== waiting.reason) {
			const message = `Back-off restarting failed container ${name} in pod ${pod.metadata.name ?? ''}_${pod.metadata.namespace ?? ''}(${uid})`;
			podEvent(context, pod, 'Warning', 'BackOff', message, containerNamed(pod, name));
		}
	memory.waiting = new Map([...memory.waiting].filter(([name]) => p.start.some((a) => a.container.spec.name === name)));
	for (const [name, waiting] of p.waiting) memory.waiting.set(name, waiting);
	const acts = hasWork(p);
	const before = await makeStatus(pod, seen, memory, context);
	tell(pod, before, context, writer);
	if (isTerminal({ ...pod, status: before })) return { againMs: undefined, ended: 'completed' };
	const failed = acts ? await perform(pod, seen, p, memory, context, writer, signal) : undefined;
	if (!acts && (pod.spec?.volumes?.length ?? 0) > 0) await refreshVolumes(pod, context, signal);
	context.followed.follow(pod);
	const deadlineMs = untilDeadline(pod, memory, clock.now());
	const retryMs = resized === 'failed' ? RESIZE_RETRY_MS : undefined;
	if (!acts) return { againMs: earliest(p.againMs, deadlineMs, retryMs), ended: undefined };
	const after = await report(pod, memory, context, writer, signal);
	// A sidecar that has started makes room for the next init container: not to be waited for.
	const next = plan(pod, after.seen, knowledge(pod, memory, context, starts));
	const followUp = failed === undefined && hasWork(next) ? 0 : undefined;
	const againMs = earliest(p.againMs, failed, deadlineMs, retryMs, followUp);
	return { againMs, ended: isTerminal({ ...pod, status: after.status }) ? 'completed' : undefined };
}

function knowledge(pod: Pod, memory: PodMemory, { clock, resizes }: AgentContext, starts: ReadonlyMap<string, number>): Knowledge {
	return {
		now: clock.now(),
		actuated: (name) => resizes.actuated(pod, name),
		started: (c) => isStarted(pod, c, memory),
		failed: (c) => memory.probes.failed(c),
		backoff: (key) => memory.backoffs.entry(key),
		status: memory.status ?? pod.status ?? {},
		starts: (name) => starts.get(name),
		resetAt: (name) => memory.resetAt.get(name),
	};
}

function hasWork(p: PodPlan): boolean {
	return p.killPod || p.reset.length > 0 || p.kill.length > 0 || p.start.length > 0 || p.sandboxAttempt !== undefined;
}

/** When to look again because something failed. */
async function perform(
	pod: Pod,
	seen: PodRuntime | undefined,
	p: PodPlan,
	memory: PodMemory,
	context: AgentContext,
	writer: StatusWriter,
	signal: AbortSignal,
): Promise<number | undefined> {
	const graceMs = (pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000;
	if (p.killPod && seen !== undefined) {
		if (p.sandboxAttempt !== undefined)
			podEvent(context, pod, 'Normal', 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.');
		await stopContainers(pod, seen, graceMs, memory, context, signal);
		await stopSandboxes(seen, context, signal);
	}
	if (p.reset.length > 0) return resetContainers(pod, p.reset, memory, context, signal).then(() => undefined);
	const podIp = seen?.sandboxes[0]?.ips[0] ?? '';
	await Promise.all(
		p.kill.map(({ container, spec, why, message }) => {
			const probe = why === 'liveness' ? spec.spec.livenessProbe : why === 'startup' ? spec.spec.startupProbe : undefined;
			const seconds = probe?.terminationGracePeriodSeconds;
			return stopContainer(
				{ pod, container, graceMs: seconds === undefined ? graceMs : seconds * 1000, message, podIp },
				memory,
				context,
				signal,
			);
		}),
	);
	if (p.start.length === 0) return undefined;
	return start(pod, seen, p, memory, context, writer, signal);
}

async function start(
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
	const users = await usersOfPod(pod, handler, context);
	const sandbox = sandboxOptions(pod, attempt, handler, users, memory, context);
	const { maxRestartMs } = settingsIn(options);
	for (const { backoffKey, failedAt } of p.start)
		if (failedAt !== undefined) memory.backoffs.bump(backoffKey, failedAt, clock.now(), maxRestartMs);
	await prepareClaims(pod, context, signal);
	for (const { container } of p.start) figures.startedContainers.inc({ container_type: containerType(container.kind) });
	const volumeImages = bringVolumeImages(pod, memory, context, signal);
	// The image of a container that waits for those it mounts is not asked for.
	const bring = async ({ container }: StartAction): Promise<Images> => {
		const mounted = await mountedImages(pod, container, volumeImages, context);
		return { mounted, image: await ensureImage(pod, container, memory, context, signal) };
	};
	const images = new Map(p.start.map((a) => [a, settled(bring(a))]));
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
	const created = await Promise.all(
		p.start.map(async (action) => {
			try {
				const outcome = await images.get(action);
				if (outcome === undefined || 'error' in outcome) throw outcome?.error;
				const podIps = namesAddress(action) ? await addressed : [];
				const targetId = targetOf(action, seen);
				const { image, mounted } = outcome.value;
				const input = { pod, action, image, sandboxId, sandbox, podIps, volumes: new Map([...volumes, ...mounted]), targetId };
				return await createContainer(input, context, signal);
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
	readonly image: ImageInfo;
	readonly mounted: VolumePaths;
}

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

function settled<T>(promise: Promise<T>): Promise<Outcome<T>> {
	return promise.then(
		(value) => ({ value }),
		(error: unknown) => ({ error }),
	);
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

function untilDeadline(pod: Pod, memory: PodMemory, now: number): number | undefined {
	const seconds = pod.spec?.activeDeadlineSeconds;
	const start = memory.status?.startTime ?? pod.status?.startTime;
	return seconds === undefined || start === undefined ? undefined : Date.parse(start) + seconds * 1000 - now;
}

function earliest(...times: readonly (number | undefined)[]): number | undefined {
	const known = times.filter((t) => t !== undefined);
	return known.length === 0 ? undefined : Math.min(...known);
}
