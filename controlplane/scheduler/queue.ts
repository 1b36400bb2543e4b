/**
 * Pods waiting for a node, as upstream's scheduling queue keeps them.
 *
 *     (added) --> active --pop--> in flight --done--> (bound or gone)
 *                   ^                |  refused
 *                   |                v
 *                backoff <--event-- unschedulable --event, back-off over--> active
 */
import type { Clock } from '../../base/clock.ts';
import { abortable } from '../../base/abort.ts';
import type { Key } from '../../api/resource.ts';
import type { ClusterEvent } from './framework.ts';
import { Heap } from './heap.ts';
import type { PodInfo } from './pod-info.ts';

/** How long a pod waits after its first refusal; twice as long after each further one, up to the other. */
export interface QueueBackoff {
	readonly initialMs: number;
	readonly maxMs: number;
}

/** Upstream's podInitialBackoffSeconds and podMaxBackoffSeconds, unless told. */
export const DEFAULT_BACKOFF: QueueBackoff = { initialMs: 1_000, maxMs: 10_000 };
/** No pod stays unschedulable for longer without another look. */
const MAX_UNSCHEDULABLE_MS = 5 * 60_000;

interface Entry {
	pod: PodInfo;
	/** When it first came (monotonic): the older goes first. */
	readonly since: number;
	attempts: number;
	failedAt: number;
	wokenBy: ReadonlySet<ClusterEvent>;
	state: 'active' | 'backoff' | 'unschedulable' | 'inFlight' | 'gone';
	/** What happened while it was in flight. */
	missed: Set<ClusterEvent>;
	timer: Disposable | undefined;
}

export class SchedulingQueue {
	readonly #clock: Clock;
	readonly #backoff: QueueBackoff;
	readonly #entries = new Map<Key, Entry>();
	readonly #active = new Heap<Entry>((a, b) => (a.pod.priority === b.pod.priority ? a.since < b.since : a.pod.priority > b.pod.priority));
	#order = 0;
	#wake = Promise.withResolvers<void>();

	constructor(clock: Clock, backoff: QueueBackoff = DEFAULT_BACKOFF) {
		this.#clock = clock;
		this.#backoff = backoff;
	}

	/** How many pods are in each state, for metrics. */
	counts(): Record<'active' | 'backoff' | 'unschedulable', number> {
		const counts = { active: 0, backoff: 0, unschedulable: 0 };
		for (const { state } of this.#entries.values())
			if (state === 'active' || state === 'backoff' || state === 'unschedulable') counts[state]++;
		return counts;
	}

	has(key: Key): boolean {
		return this.#entries.has(key);
	}

	/** A pod that waits, or waits still with another spec or other labels; a new one is tried after `waitMs`. */
	put(pod: PodInfo, changed: boolean, waitMs = 0): void {
		const entry = this.#entries.get(pod.key);
		if (entry === undefined || entry.pod.uid !== pod.uid) {
			if (entry !== undefined) this.delete(pod.key);
			const fresh: Entry = {
				pod,
				// A tiny share of the order keeps first come first served within one tick of the clock.
				since: this.#clock.monotonic() + this.#order++ * 1e-6,
				attempts: 0,
				failedAt: 0,
				wokenBy: new Set(),
				state: 'gone',
				missed: new Set(),
				timer: undefined,
			};
			this.#entries.set(pod.key, fresh);
			if (waitMs > 0) this.#waitFor(fresh, waitMs);
			else this.#activate(fresh);
			return;
		}
		entry.pod = pod;
		if (!changed) return;
		if (entry.state === 'inFlight') entry.missed.add('podChanged');
		else if (entry.state === 'unschedulable') this.#wakeUp(entry);
	}

	delete(key: Key): void {
		const entry = this.#entries.get(key);
		if (entry === undefined) return;
		this.#entries.delete(key);
		entry.timer?.[Symbol.dispose]();
		entry.state = 'gone';
	}

	/** The next pod to schedule; it stays in flight until `done` or `refused`. */
	async pop(signal: AbortSignal): Promise<PodInfo> {
		for (;;) {
			signal.throwIfAborted();
			const entry = this.#active.pop();
			if (entry === undefined) {
				this.#wake = Promise.withResolvers<void>();
				await abortable(this.#wake.promise, signal);
				continue;
			}
			if (entry.state !== 'active') continue; // deleted since
			entry.state = 'inFlight';
			entry.missed = new Set();
			entry.attempts++;
			return entry.pod;
		}
	}

	/** How often the pod was tried. */
	attempts(key: Key): number {
		return this.#entries.get(key)?.attempts ?? 0;
	}

	done(pod: PodInfo): void {
		if (this.#entries.get(pod.key)?.pod.uid === pod.uid) this.delete(pod.key);
	}

	/** No node does. It is tried again after one of these events, or at once (with back-off) if `wokenBy` is "error". */
	refused(pod: PodInfo, wokenBy: ReadonlySet<ClusterEvent> | 'error'): void {
		const entry = this.#entries.get(pod.key);
		if (entry === undefined || entry.state !== 'inFlight' || entry.pod.uid !== pod.uid) return;
		entry.failedAt = this.#clock.monotonic();
		entry.wokenBy = wokenBy === 'error' ? new Set() : wokenBy;
		if (wokenBy === 'error' || [...entry.missed].some((event) => event === 'podChanged' || wokenBy.has(event))) return this.#backOff(entry);
		entry.state = 'unschedulable';
		entry.timer = this.#clock.after(MAX_UNSCHEDULABLE_MS, () => this.#wakeUp(entry));
	}

	/** Something changed in the cluster: those that it may help are looked at again. `concerns` leaves out others. */
	happened(events: readonly ClusterEvent[], concerns?: (pod: PodInfo) => boolean): void {
		if (events.length === 0) return;
		for (const entry of this.#entries.values()) {
			if (concerns !== undefined && !concerns(entry.pod)) continue;
			if (entry.state === 'inFlight') for (const event of events) entry.missed.add(event);
			else if (entry.state === 'unschedulable' && events.some((event) => entry.wokenBy.has(event))) this.#wakeUp(entry);
		}
	}

	/** Drops all timers. */
	[Symbol.dispose](): void {
		for (const entry of this.#entries.values()) entry.timer?.[Symbol.dispose]();
	}

	#wakeUp(entry: Entry): void {
		entry.timer?.[Symbol.dispose]();
		this.#backOff(entry);
	}

	#backOff(entry: Entry): void {
		const waitMs = Math.min(this.#backoff.maxMs, this.#backoff.initialMs * 2 ** (entry.attempts - 1));
		const leftMs = entry.failedAt + waitMs - this.#clock.monotonic();
		if (leftMs <= 0) return this.#activate(entry);
		this.#waitFor(entry, leftMs);
	}

	#waitFor(entry: Entry, ms: number): void {
		entry.state = 'backoff';
		entry.timer = this.#clock.after(ms, () => this.#activate(entry));
	}

	#activate(entry: Entry): void {
		entry.timer = undefined;
		entry.state = 'active';
		this.#active.push(entry);
		this.#wake.resolve();
	}
}
