/** One round for a pod that is to run: look, plan, act, report. Every step that does not need another starts at once. */
import type { Pod } from '../../api/gen/types.ts';
import { isTerminal } from '../../api/pod/phase.ts';
import { stopContainer } from '../container/stop.ts';
import { podEvent, type AgentContext } from '../context.ts';
import { prepareClaims } from '../dra/prepare.ts';
import { actuate } from '../resize/actuate.ts';
import type { PodRuntime } from '../runtime/runtime.ts';
import { refreshVolumes } from '../volume/volumes.ts';
import { containerNamed } from './containers.ts';
import { lookFirst } from './look.ts';
import { isStarted, makeStatus } from './make-status.ts';
import type { PodMemory } from './memory.ts';
import { plan, type Knowledge, type PodPlan } from './plan.ts';
import { follow, report, tell } from './report.ts';
import { startPod } from './start-pod.ts';
import type { StatusWriter } from './status-writer.ts';
import { resetContainers, stopContainers, stopSandboxes } from './stop-pod.ts';
import { earliest } from './earliest.ts';
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
	tell(pod, before, memory, writer);
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
	const apart = p.sandboxId === undefined && pod.spec?.hostUsers === false;
	if (apart) context.figures.startedApart.inc();
	await prepareClaims(pod, context, signal);
	let againMs: number | undefined;
	try {
		againMs = await startPod(pod, seen, p, memory, context, writer, signal);
	} catch (error) {
		if (apart && !signal.aborted) context.figures.startedApartErrors.inc();
		throw error;
	}
	if (apart && againMs !== undefined) context.figures.startedApartErrors.inc();
	return againMs;
}

function untilDeadline(pod: Pod, memory: PodMemory, now: number): number | undefined {
	const seconds = pod.spec?.activeDeadlineSeconds;
	const start = memory.status?.startTime ?? pod.status?.startTime;
	return seconds === undefined || start === undefined ? undefined : Date.parse(start) + seconds * 1000 - now;
}
