/** The event stream, and what a full look finds that it did not tell. */
import test from 'ava';
import { AppError } from '../../base/errors.ts';
import type { Counter, Histogram } from '../../base/metrics.ts';
import { noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { AgentMetrics } from '../metrics.ts';
import type { PodStates, Runtime } from '../runtime/runtime.ts';
import { MissedEnds } from './missed-ends.ts';
import { PlegHealth } from './pleg-health.ts';
import { runPleg } from './pleg.ts';

const pod = (uid: string, states: Readonly<Record<string, 'running' | 'exited'>>): PodStates => ({
	...{ uid, name: uid, namespace: 'n', sandboxes: [] },
	containers: Object.entries(states).map(([id, state]) => ({ id, state })),
});

test('ends that were told are not missed, others are, each once', (t) => {
	const missed = new MissedEnds();
	t.deepEqual(missed.look([pod('a', { a1: 'running' }), pod('b', { b1: 'running' }), pod('old', { o1: 'exited' })]), []);
	missed.heard('a1');
	const ended = [pod('a', { a1: 'exited' }), pod('b', { b1: 'exited', b2: 'running' }), pod('old', { o1: 'exited' })];
	t.deepEqual(missed.look(ended), ['b']);
	t.deepEqual(missed.look(ended), []);
});

interface Seen {
	looks: number;
	backs: number;
	woken: number;
	/** Streams: opened, failed, and events told of. */
	streams: readonly (number | undefined)[];
}

/** Follows this stream, over a runtime with nothing in it, for so long. */
async function followed(ms: number, events: Runtime['events'], woken: () => void = () => {}): Promise<Seen> {
	const clock = new VirtualClock(0);
	const seen: Seen = { looks: 0, backs: 0, woken: 0, streams: [] };
	const figures = new AgentMetrics('n');
	const states = async (): Promise<readonly PodStates[]> => (seen.looks++, []);
	const stop = new AbortController();
	const wake = (): void => {
		seen.woken++;
		woken();
	};
	const running = runPleg(
		{
			...{ runtime: { events, states } as unknown as Runtime, clock, log: noLog },
			...{ figures, health: new PlegHealth(clock), wake, seen: async () => {}, back: () => seen.backs++ },
		},
		stop.signal,
	);
	await clock.advance(ms);
	stop.abort();
	await running;
	const { opened, failed, latency } = figures.events;
	const values = async (of: Counter | Histogram): Promise<number | undefined> => (await of.get()).values.at(-1)?.value;
	return { ...seen, streams: await Promise.all([opened, failed, latency].map(values)) };
}

test('a stream that keeps failing is asked for ever more rarely, and nobody is woken by looks that succeed', async (t) => {
	let asked = 0;
	const next = (): Promise<never> => {
		asked++;
		return Promise.reject(new AppError('Internal', 'out of order'));
	};
	const { looks, backs, streams } = await followed(600_000, () => ({ [Symbol.asyncIterator]: () => ({ next }) }));
	t.true(asked > 60 && asked < 70, `asked for ${asked} times in ten minutes`);
	t.true(looks < 70, `${looks} looks in ten minutes`);
	t.is(backs, 1, 'the runtime may have been away when it ended first');
	t.deepEqual(streams, [0, asked, 0]);
});

test('a stream is closed when what it told cannot be gone by', async (t) => {
	let open = 0;
	const { woken, streams } = await followed(
		5000,
		async function* (_signal, opened) {
			open++;
			opened?.();
			try {
				yield { type: 'stopped', containerId: 'c', podUid: 'p', at: 0 };
				await new Promise(() => {});
			} finally {
				open--;
			}
		},
		() => {
			throw new Error('cannot');
		},
	);
	t.true(woken > 1);
	t.deepEqual(streams, [woken, woken, woken]);
	t.is(open, 0);
});
