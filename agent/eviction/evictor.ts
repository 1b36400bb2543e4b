/** Keeps the node from running out of memory, disk or process ids: first what nobody needs goes, then one pod at a time (upstream's eviction manager). */
import { isDeepStrictEqual } from 'node:util';
import type { Pod } from '../../api/gen/types.ts';
import { PODS } from '../../api/resources.ts';
import { withDeadline } from '../../base/abort.ts';
import { messageOf } from '../../base/errors.ts';
import { referenceTo } from '../../client/events.ts';
import { settingsIn } from '../config/settings.ts';
import type { AgentContext } from '../context.ts';
import type { PodWorkers } from '../pod/workers.ts';
import { excessOf, hasLocalLimits } from './local-limits.ts';
import { measureNode, measurePods, type NodeMeasure } from './measure.ts';
import { disruption, evictionWords } from './message.ts';
import { met, mostUrgent, NO_PRESSURE, starvedOf, ThresholdHistory, type Observation, type Pressure } from './observation.ts';
import { isCritical, ranked } from './ranking.ts';
import type { Signal, Threshold } from './threshold.ts';

/** Upstream's monitoringInterval, and how long it waits until an evicted pod is gone. */
const INTERVAL_MS = 10_000;
const CLEANUP_MS = 30_000;
/** Upstream's immediateEvictionGracePeriodSeconds. */
const HARD_GRACE_SECONDS = 1;

export interface EvictorDeps {
	readonly context: AgentContext;
	readonly workers: () => PodWorkers;
	/** Frees what nobody needs. */
	readonly reclaim: { containers(signal: AbortSignal): Promise<void>; images(signal: AbortSignal): Promise<unknown> };
	/** What pods together have left of the memory they may have; undefined where that is not limited. */
	readonly allocatableMemory?: () => Observation | undefined;
	readonly event: (type: 'Warning', reason: string, message: string) => void;
	/** Told when the node's pressure has changed. */
	readonly changed?: () => void;
	/** In the place of the machine's own figures. */
	readonly measureNode?: (signal: AbortSignal) => Promise<NodeMeasure>;
}

export class Evictor {
	readonly #deps: EvictorDeps;
	readonly #history: ThresholdHistory;
	readonly #thresholds: readonly Threshold[];
	#told: Pressure = NO_PRESSURE;
	#imageFolder: string | undefined;
	#measuredAt = 0;

	constructor(deps: EvictorDeps) {
		this.#deps = deps;
		const { thresholds, pressureTransitionMs } = settingsIn(deps.context.options).resources;
		this.#thresholds = thresholds;
		this.#history = new ThresholdHistory(pressureTransitionMs);
	}

	/** What the node's conditions say. */
	get pressure(): Pressure {
		return this.#history.pressure(this.#deps.context.clock.now());
	}

	async run(signal: AbortSignal): Promise<void> {
		const { clock, log } = this.#deps.context;
		while (!signal.aborted) {
			try {
				const evicted = await this.look(signal);
				if (evicted.length > 0) {
					await this.#gone(evicted, signal);
					continue;
				}
			} catch (error) {
				if (signal.aborted) return;
				log.warn('cannot tell whether the node is short of anything', { reason: messageOf(error) });
			}
			await clock.sleep(INTERVAL_MS, signal).catch(() => {});
		}
	}

	/** One look; the pods that were evicted. */
	async look(signal: AbortSignal): Promise<readonly Pod[]> {
		const { context, event } = this.#deps;
		const measured = await this.#measure(signal);
		const { due, pressure } = this.#history.observe(this.#thresholds, measured.seen, context.clock.now());
		if (!isDeepStrictEqual(pressure, this.#told)) this.#deps.changed?.();
		this.#told = pressure;
		const beyond = await this.#evictBeyondLimits(measured, signal);
		if (beyond.length > 0) return beyond;
		const threshold = mostUrgent(due);
		if (threshold === undefined) return [];
		const starved = starvedOf(threshold.signal);
		event('Warning', 'EvictionThresholdMet', `Attempting to reclaim ${starved}`);
		context.log.warn('the node is short of a resource', { resource: starved, signal: threshold.signal });
		if (await this.#reclaimed(threshold.signal, measured, signal)) return [];
		return this.#evictOne(threshold, due, measured, signal);
	}

	async #measure(signal: AbortSignal): Promise<NodeMeasure> {
		const { context, allocatableMemory = () => undefined, measureNode: given } = this.#deps;
		this.#measuredAt = context.clock.now();
		if (given !== undefined) return given(signal);
		// Where the images are does not change while the runtime runs.
		this.#imageFolder ??= await context.runtime.imageFolder(signal).catch(() => undefined);
		return measureNode(context.options.rootDir, this.#imageFolder, allocatableMemory);
	}

	/** The pods that run and are not about to end. */
	#active(): readonly Pod[] {
		return this.#deps
			.workers()
			.lives.filter(({ phase }) => phase === 'syncing')
			.map(({ pod }) => pod);
	}

	async #evictBeyondLimits({ disks }: NodeMeasure, signal: AbortSignal): Promise<readonly Pod[]> {
		const { context } = this.#deps;
		const limited = settingsIn(context.options).resources.localStorageIsolation ? this.#active().filter(hasLocalLimits) : [];
		if (limited.length === 0) return [];
		const uses = await measurePods(limited, context, true, signal);
		return limited.filter((pod) => {
			const use = uses.get(pod.metadata.uid ?? '');
			const excess = use === undefined ? undefined : excessOf(pod, use, disks);
			if (excess === undefined) return false;
			return this.#evict(pod, { ...excess, annotations: {} }, HARD_GRACE_SECONDS, false);
		});
	}

	/** Frees what is the node's own; true when that was enough. */
	async #reclaimed(signal: Signal, { disks }: NodeMeasure, stop: AbortSignal): Promise<boolean> {
		const starved = starvedOf(signal);
		const diskful = starved === 'ephemeral-storage' || starved === 'inodes';
		// With images on a disk of their own there is nothing of the node's on the other.
		if (!diskful || (disks.imagesApart && signal.startsWith('nodefs'))) return false;
		const { context, reclaim } = this.#deps;
		for (const free of [reclaim.containers, reclaim.images])
			await free.call(reclaim, stop).catch((error: unknown) => context.log.warn('cannot free disk', { reason: messageOf(error) }));
		return met(this.#thresholds, (await this.#measure(stop)).seen, true).length === 0;
	}

	async #evictOne(
		threshold: Threshold,
		due: readonly Threshold[],
		{ seen, disks }: NodeMeasure,
		stop: AbortSignal,
	): Promise<readonly Pod[]> {
		const { context } = this.#deps;
		const starved = starvedOf(threshold.signal);
		const active = this.#active();
		const diskful = starved === 'ephemeral-storage' || starved === 'inodes';
		const uses = await measurePods(active, context, diskful, stop);
		const { maxPodGraceSeconds } = settingsIn(context.options).resources;
		for (const pod of ranked(active, threshold.signal, uses, disks)) {
			const own = pod.spec?.terminationGracePeriodSeconds ?? maxPodGraceSeconds;
			const graceSeconds = threshold.hard ? HARD_GRACE_SECONDS : Math.min(maxPodGraceSeconds, own);
			const words = evictionWords(pod, starved, uses.get(pod.metadata.uid ?? ''), due, seen);
			if (this.#evict(pod, { ...words, signal: threshold.signal }, graceSeconds, true)) return [pod];
		}
		context.log.error('the node is short of a resource, and no pod may go', { resource: starved });
		return [];
	}

	/** @param disrupts the pod did nothing wrong: who owns it need not count it as a failure */
	#evict(
		pod: Pod,
		words: { readonly signal: string; readonly message: string; readonly annotations: Readonly<Record<string, string>> },
		graceSeconds: number,
		disrupts: boolean,
	): boolean {
		if (isCritical(pod)) return false;
		const { context, workers } = this.#deps;
		const { message, annotations } = words;
		const why = { reason: 'Evicted', message, ...(disrupts ? { condition: disruption(message) } : {}) };
		if (!workers().disrupt(pod.metadata.uid ?? '', why, graceSeconds * 1000)) return false;
		context.figures.evictions.inc({ eviction_signal: words.signal });
		context.figures.evictionStatsAge.observe({ eviction_signal: words.signal }, (context.clock.now() - this.#measuredAt) / 1000);
		context.recorder.event(referenceTo(PODS, pod), 'Warning', 'Evicted', message, { annotations });
		context.log.warn('evicted a pod', { pod: `${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''}`, why: message });
		return true;
	}

	/** Waits until what the pods used is free, but not for ever. */
	async #gone(pods: readonly Pod[], signal: AbortSignal): Promise<void> {
		const { context, workers } = this.#deps;
		using late = withDeadline(context.clock, CLEANUP_MS, 'the end of evicted pods', signal);
		await Promise.all(pods.map(({ metadata: { uid = '' } }) => workers().cleaned(uid, late.signal))).catch(() => {});
	}
}
