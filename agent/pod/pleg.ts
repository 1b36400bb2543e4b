/** Wakes the worker of a pod of which the runtime has news: by the runtime's event stream, and by a rare look at everything. */
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { lacksEvents } from '../runtime/cri.ts';
import type { AgentMetrics } from '../metrics.ts';
import { MissedEnds } from './missed-ends.ts';
import type { PlegHealth } from './pleg-health.ts';
import type { PodRuntime, Runtime } from '../runtime/runtime.ts';

export interface PlegOptions {
	readonly runtime: Runtime;
	readonly clock: Clock;
	readonly log: Log;
	readonly figures: AgentMetrics;
	readonly health: PlegHealth;
	readonly wake: (uid: string) => void;
	/** What a full look found. */
	readonly seen: (pods: readonly PodRuntime[]) => void;
}

/** Upstream's relist periods: with events, and without. */
const RELIST_MS = 300_000;
const RELIST_WITHOUT_EVENTS_MS = 1000;
const RETRY_MS = 1000;

export async function runPleg(options: PlegOptions, signal: AbortSignal): Promise<void> {
	const mode = { streaming: true, missed: new MissedEnds() };
	await Promise.all([stream(options, mode, signal), relist(options, mode, signal)]);
}

async function stream(
	{ runtime, clock, log, health, wake }: PlegOptions,
	mode: { streaming: boolean; readonly missed: MissedEnds },
	signal: AbortSignal,
): Promise<void> {
	while (!signal.aborted) {
		try {
			// The agent knows of what it created and started itself; an end comes from elsewhere.
			for await (const event of runtime.events(signal)) {
				if (event.type !== 'stopped') continue;
				mode.missed.heard(event.containerId);
				wake(event.podUid);
			}
		} catch (error) {
			if (signal.aborted) return;
			if (lacksEvents(error)) {
				log.info('the runtime has no event stream; looking every second instead');
				mode.streaming = false;
				health.withoutEvents();
				return;
			}
			log.warn('runtime event stream broke', { reason: messageOf(error) });
		}
		await clock.sleep(RETRY_MS, signal).catch(() => {});
	}
}

async function relist(
	{ runtime, clock, log, figures, health, wake, seen }: PlegOptions,
	mode: { readonly streaming: boolean; readonly missed: MissedEnds },
	signal: AbortSignal,
): Promise<void> {
	const before = new Map<string, string>();
	let lastAt = clock.monotonic();
	while (!signal.aborted) {
		await clock.sleep(mode.streaming ? RELIST_MS : RELIST_WITHOUT_EVENTS_MS, signal).catch(() => {});
		if (signal.aborted) return;
		try {
			const from = clock.monotonic();
			figures.relistInterval.observe((from - lastAt) / 1000);
			lastAt = from;
			const pods = await runtime.pods(signal);
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
			seen(pods);
		} catch (error) {
			if (!signal.aborted) log.warn('cannot list what runs', { reason: messageOf(error) });
		}
	}
}

/** What a worker would act on. */
function fingerprint(pod: PodRuntime): string {
	return JSON.stringify([pod.sandboxes.map((s) => [s.id, s.ready]), pod.containers.map((c) => [c.id, c.state])]);
}
