/** Wakes the worker of a pod of which the runtime has news: by the runtime's event stream, and by a rare look at everything. */
import { linked } from '../../base/abort.ts';
import { delayMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { lacksEvents } from '../runtime/cri.ts';
import type { AgentMetrics } from '../metrics.ts';
import { MissedEnds } from './missed-ends.ts';
import type { PlegHealth } from './pleg-health.ts';
import type { PodStates, Runtime } from '../runtime/runtime.ts';

export interface PlegOptions {
	readonly runtime: Runtime;
	readonly clock: Clock;
	readonly log: Log;
	readonly figures: AgentMetrics;
	readonly health: PlegHealth;
	readonly wake: (uid: string) => void;
	/** What a full look found. */
	readonly seen: (pods: readonly PodStates[]) => Promise<void>;
	/** The runtime answers again after it did not: whoever waits for it need wait no longer. */
	readonly back: () => void;
}

/** What the stream and the looks share. */
interface Mode {
	streaming: boolean;
	/** A look failed or the stream ended, and no look has succeeded since. */
	away: boolean;
	readonly missed: MissedEnds;
	/** The next look is to come at once. */
	due: boolean;
	wake: () => void;
}

/** Upstream's relist periods: with events, and without. */
const RELIST_MS = 300_000;
const RELIST_WITHOUT_EVENTS_MS = 1000;
const RETRY_MS = 1000;
/** Each time everything is looked at, for nobody tells of it. */
const STREAM_RETRY = { initialMs: 1000, maxMs: 10_000 };

export async function runPleg(options: PlegOptions, signal: AbortSignal): Promise<void> {
	const mode: Mode = { streaming: true, away: false, missed: new MissedEnds(), due: false, wake: () => {} };
	await Promise.all([stream(options, mode, signal), relist(options, mode, signal)]);
}

async function stream({ runtime, clock, log, figures, health, wake }: PlegOptions, mode: Mode, signal: AbortSignal): Promise<void> {
	for (let failures = 0; !signal.aborted; failures++) {
		const from = clock.monotonic();
		try {
			// What happened while nobody listened is looked for: by a look that begins once the stream is asked for.
			if (failures > 0) lookSoon(mode);
			for await (const { type, containerId, podUid, at } of runtime.events(signal, () => figures.events.opened.inc())) {
				figures.events.latency.observe(Math.max(0, clock.now() - at) / 1000);
				// The agent knows of what it created and started itself; an end comes from elsewhere.
				if (type !== 'stopped') continue;
				mode.missed.heard(containerId);
				wake(podUid);
			}
		} catch (error) {
			if (signal.aborted) return;
			figures.events.failed.inc();
			if (lacksEvents(error)) {
				log.info('the runtime has no event stream; looking every second instead');
				mode.streaming = false;
				health.withoutEvents();
				return;
			}
			log.warn('runtime event stream broke', { reason: messageOf(error) });
		}
		if (clock.monotonic() - from > STREAM_RETRY.maxMs) failures = 0;
		// Once an outage: one that keeps failing says nothing new of the runtime.
		mode.away ||= failures === 0;
		await clock.sleep(delayMs(STREAM_RETRY, failures, clock.random()), signal).catch(() => {});
	}
}

async function relist(options: PlegOptions, mode: Mode, signal: AbortSignal): Promise<void> {
	const { clock, log, figures, back } = options;
	const before = new Map<string, string>();
	let lastAt = clock.monotonic();
	let failing = false;
	while (!signal.aborted) {
		await rest(failing ? RETRY_MS : mode.streaming ? RELIST_MS : RELIST_WITHOUT_EVENTS_MS, clock, mode, signal);
		if (signal.aborted) return;
		const from = clock.monotonic();
		figures.relistInterval.observe((from - lastAt) / 1000);
		lastAt = from;
		try {
			await look(options, mode, before, signal);
			if (mode.away) back();
			failing = mode.away = false;
		} catch (error) {
			// Said once an outage.
			if (!signal.aborted && !failing) log.warn('cannot list what runs', { reason: messageOf(error) });
			failing = mode.away = true;
		}
	}
}

function lookSoon(mode: Mode): void {
	mode.due = true;
	mode.wake();
}

/** Until then, or until the next look is due. */
async function rest(ms: number, clock: Clock, mode: Mode, signal: AbortSignal): Promise<void> {
	using link = linked(signal);
	mode.wake = () => link.abort();
	if (!mode.due) await clock.sleep(ms, link.signal).catch(() => {});
	mode.due = false;
}

async function look(
	{ runtime, clock, log, figures, health, wake, seen }: PlegOptions,
	mode: Mode,
	before: Map<string, string>,
	signal: AbortSignal,
): Promise<void> {
	const from = clock.monotonic();
	const pods = await runtime.states(signal);
	figures.relist.observe((clock.monotonic() - from) / 1000);
	health.looked();
	figures.plegLastSeen.set(clock.now() / 1000);
	const missed = mode.missed.look(pods);
	if (mode.streaming && missed.length > 0) log.warn('the event stream missed that containers ended', { pods: missed.join(', ') });
	for (const pod of pods) {
		const now = fingerprint(pod);
		if (before.has(pod.uid) && before.get(pod.uid) !== now) wake(pod.uid);
		before.set(pod.uid, now);
	}
	for (const uid of before.keys()) if (!pods.some((p) => p.uid === uid)) before.delete(uid);
	await seen(pods);
}

/** What a worker would act on. */
function fingerprint({ sandboxes, containers }: PodStates): string {
	return [...sandboxes.map(({ id, ready }) => `${id} ${String(ready)}`), ...containers.map(({ id, state }) => `${id} ${state}`)]
		.toSorted()
		.join();
}
