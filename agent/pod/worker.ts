/** One pod's worker: woken by events, it does one round after the other, each for the state the pod is in. */
import type { Pod } from '../../api/gen/types.ts';
import { rm } from 'node:fs/promises';
import { linked } from '../../base/abort.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { keyOf } from '../../api/resource.ts';
import { settingsIn } from '../config/settings.ts';
import { reasonLabel } from '../admission/reason-label.ts';
import { VolumeLimitExceeded } from '../volume/failure.ts';
import { PodProbes } from '../probe/probes.ts';
import { podEvent, type AgentContext } from '../context.ts';
import { inSpan, podSpan } from '../tracing/tracer.ts';
import type { PodRuntime } from '../runtime/runtime.ts';
import { podLogFolder } from './folders.ts';
import { PodMemory, type Disruption } from './memory.ts';
import type { Waiting } from './plan.ts';
import { startLatency } from './start-latency.ts';
import { next, type EndReason, type WorkerEvent, type WorkerState } from './state.ts';
import type { StatusWriter } from './status-writer.ts';
import { syncPod } from './sync.ts';
import { cleanUpPod, deleteObject, stopPod, sweep, type EndingPod } from './terminate.ts';

/** Of the look without a cause, at syncFrequency: tokens and configMaps are renewed in it. */
const RESYNC_JITTER = 0.5;
/** After a failure: short at first, since most pass at once. */
const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 10_000;

const SPANS = { syncing: 'syncPod', terminating: 'syncTerminatingPod', terminated: 'syncTerminatedPod', finished: undefined } as const;
/** Upstream's words for the rounds that end a pod; one that only waits to be deleted has none. */
const ENDING = { terminating: 'kill', terminated: 'terminated', finished: undefined } as const;

/** Ended, and stay until somebody deletes them. */
const WAITING: ReadonlySet<EndReason> = new Set<EndReason>(['completed', 'deadline', 'refused', 'disrupted']);

export class PodWorker {
	readonly #context: AgentContext;
	readonly #writer: StatusWriter;
	readonly #moved: () => void;
	readonly #memory: PodMemory;
	#state: WorkerState;
	#wake: (() => void) | undefined;
	#woken = true;
	#timer: Disposable | undefined;
	/** Aborted to end a round whose state has passed. */
	#round = new AbortController();
	#failures = 0;
	#began = false;
	/** The API no longer has the pod. */
	#gone = false;
	/** What the next round is called in metrics while the pod is to run, as upstream has it. */
	#sync: 'create' | 'update' | 'sync' = 'create';

	/** @param moved told when its life has gone on */
	constructor(
		pod: Pod,
		seen: { readonly seen: PodRuntime | undefined } | undefined,
		context: AgentContext,
		writer: StatusWriter,
		moved: () => void,
	) {
		this.#context = context;
		this.#writer = writer;
		this.#moved = moved;
		this.#memory = new PodMemory(seen, new PodProbes(context, () => this.wake()), context.clock.now());
		this.#memory.startTold = pod.status?.startTime !== undefined;
		this.#state = next({ phase: 'syncing', pod }, { type: 'updated', pod });
	}

	get pod(): Pod {
		return this.#state.pod;
	}

	get phase(): WorkerState['phase'] {
		return this.#state.phase;
	}

	/** Why it ends, once it does. */
	get why(): EndReason | undefined {
		return this.#state.phase === 'syncing' ? undefined : this.#state.why;
	}

	/** The API's pod changed; `matters` says whether there is anything to do about it. */
	update(pod: Pod, matters: boolean): void {
		if (matters) this.handle({ type: 'updated', pod });
		else this.#state = { ...this.#state, pod };
		this.#writer.seen(pod);
		this.#noteStart(pod);
	}

	/** Of a pod that this agent has seen from its beginning, once. */
	#noteStart(pod: Pod): void {
		if (this.#memory.startTold) return;
		const { clock, figures } = this.#context;
		const latency = startLatency(pod, this.#memory.pulls, clock.now());
		if (latency === undefined) return;
		this.#memory.startTold = true;
		this.#memory.pulls.length = 0;
		figures.podStartTotal.observe(latency.totalMs / 1000);
		if (latency.sliMs !== undefined) figures.startedIn(latency.sliMs / 1000, pod.spec?.hostNetwork !== true);
	}

	handle(event: WorkerEvent): void {
		const before = this.#state;
		this.#state = next(before, event);
		if (this.#state.phase !== before.phase) this.#moved();
		if (event.type === 'removed') this.#gone = true;
		if (event.type === 'updated' && this.#sync === 'sync') this.#sync = 'update';
		const shorter = before.phase === 'terminating' && this.#state.phase === 'terminating' && this.#state.graceMs < before.graceMs;
		if ((before.phase === 'syncing' && this.#state.phase !== 'syncing') || shorter)
			this.#round.abort(new AppError('Canceled', 'The pod is ending'));
		if (this.#state.phase !== 'syncing') this.#memory.images.stop();
		this.wake();
	}

	/** Ends the pod before it began: the node does not take it. */
	refuse(refusal: Waiting): void {
		this.#memory.refusal = refusal;
		this.#context.figures.refusals.inc({ reason: reasonLabel(refusal.reason) });
		podEvent(this.#context, this.pod, 'Warning', refusal.reason, refusal.message);
		this.handle({ type: 'ended', why: 'refused' });
	}

	/** Ends the pod for the node's own sake; its status will say why. False when it ends already. */
	disrupt(disruption: Disruption, graceMs: number): boolean {
		if (this.phase !== 'syncing') return false;
		this.#memory.disruption = disruption;
		this.handle({ type: 'disrupted', graceMs });
		return true;
	}

	/** Look again soon. */
	wake(): void {
		this.#woken = true;
		this.#wake?.();
	}

	/** Runs until the signal aborts, or nothing of the pod is left. */
	async run(signal: AbortSignal): Promise<void> {
		const onAbort = (): void => {
			this.#round.abort(signal.reason);
			this.wake();
		};
		signal.addEventListener('abort', onAbort, { once: true });
		try {
			while (!signal.aborted) {
				if (!this.#woken) await new Promise<void>((resolve) => (this.#wake = resolve));
				this.#wake = undefined;
				this.#woken = false;
				this.#timer?.[Symbol.dispose]();
				if (signal.aborted) return;
				if (await this.#once(signal)) return;
			}
		} finally {
			this.#timer?.[Symbol.dispose]();
			this.#memory.probes.stop();
			this.#memory.images.stop();
			signal.removeEventListener('abort', onAbort);
		}
	}

	/** True when the worker's work is done for good. */
	async #once(signal: AbortSignal): Promise<boolean> {
		if (!this.#began) this.#context.figures.podWorkerStart.observe((this.#context.clock.now() - this.#memory.firstSeenAt) / 1000);
		this.#began = true;
		this.#round = new AbortController();
		using round = linked(signal, this.#round.signal);
		try {
			const from = this.#context.clock.monotonic();
			const operation = this.phase === 'syncing' ? this.#sync : ENDING[this.phase];
			this.#sync = 'sync';
			const step = (): Promise<boolean> => this.#step(round.signal, signal);
			const span = SPANS[this.phase];
			const updateType = this.phase === 'syncing' ? operation : undefined;
			const done = await (span === undefined ? step() : inSpan(this.#context.tracer, podSpan(span, this.pod, updateType), step));
			const seconds = (this.#context.clock.monotonic() - from) / 1000;
			if (operation !== undefined) this.#context.figures.podWorker.observe({ operation_type: operation }, seconds);
			this.#failures = 0;
			return done;
		} catch (error) {
			if (signal.aborted) return true;
			if (this.#round.signal.aborted) {
				this.#woken = true;
				return false;
			}
			const waitMs = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** this.#failures++);
			this.#context.log.warn('pod not synced', {
				pod: keyOf(this.pod),
				phase: this.phase,
				reason: messageOf(error),
				retryMs: waitMs,
				error,
			});
			this.#again(waitMs);
			return false;
		}
	}

	async #step(round: AbortSignal, signal: AbortSignal): Promise<boolean> {
		const state = this.#state;
		switch (state.phase) {
			case 'syncing': {
				const { clock, options } = this.#context;
				const pod = this.#context.resizes.decide(state.pod);
				const runs = this.#memory.first === undefined || hasRunning(this.#memory.first.seen);
				const refusal = await this.#context.placed.placement.admit(pod, runs, round);
				if (refusal !== undefined) {
					this.refuse(refusal);
					return false;
				}
				const synced = await syncPod(pod, this.#memory, this.#context, this.#writer, round).catch(refusalOf);
				if (synced instanceof VolumeLimitExceeded) {
					this.refuse({ reason: 'VolumeAttachmentLimitExceeded', message: synced.message });
					return false;
				}
				const { againMs, ended } = synced;
				if (ended !== undefined) this.handle({ type: 'ended', why: ended });
				else this.#again(Math.min(againMs ?? Number.POSITIVE_INFINITY, settingsIn(options).syncMs * (1 + RESYNC_JITTER * clock.random())));
				return false;
			}
			case 'terminating':
				await stopPod(this.#ending(state), state.graceMs, round);
				this.handle({ type: 'stopped' });
				return false;
			case 'terminated': {
				const ending = this.#ending(state);
				await cleanUpPod(ending, signal);
				this.handle({ type: 'cleaned' });
				return false;
			}
			case 'finished':
				return this.#finish(state, signal);
		}
	}

	/** A pod that ran out waits for its deletion; one that is gone leaves nothing behind. */
	async #finish(state: WorkerState & { readonly phase: 'finished' }, signal: AbortSignal): Promise<boolean> {
		if (state.why === 'deleted' && !this.#gone) await deleteObject(state.pod, this.#context, signal);
		if (WAITING.has(state.why)) return false;
		await sweep(this.#ending(state), signal);
		await rm(podLogFolder(this.#context.options.podLogsDir, state.pod), { recursive: true, force: true });
		this.#writer.forget(state.pod.metadata.uid ?? '');
		// Until the API's own word arrives, late changes of the pod still come here.
		return this.#gone || state.why === 'orphan' || state.why === 'withdrawn';
	}

	#ending(state: WorkerState & { readonly why: EndingPod['why'] }): EndingPod {
		return { pod: state.pod, why: state.why, memory: this.#memory, context: this.#context, writer: this.#writer };
	}

	#again(ms: number): void {
		this.#timer = this.#context.clock.after(ms, () => this.wake());
	}
}

/** Other errors are thrown on. */
function refusalOf(error: unknown): VolumeLimitExceeded {
	if (error instanceof VolumeLimitExceeded) return error;
	throw error;
}

function hasRunning(pod: PodRuntime | undefined): boolean {
	return pod?.containers.some(({ state }) => state === 'running') === true;
}
