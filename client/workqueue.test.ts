import test from 'ava';
import type { Key } from '../api/resource.ts';
import { createMetrics } from '../base/metrics.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { createWorkQueue } from './workqueue.ts';

test('work queue: once however often added, never twice at once, again after a change meanwhile', async (t) => {
	const clock = new VirtualClock();
	const queue = createWorkQueue({ name: 'q', clock });
	const log: string[] = [];
	const gates = new Map<Key, PromiseWithResolvers<void>>();
	const stop = new AbortController();
	for (const key of ['a', 'b', 'a', 'c']) queue.add(key);
	t.is(queue.length, 3);
	const done = queue.run(
		2,
		async (key) => {
			log.push(`+${key}`);
			const gate = Promise.withResolvers<void>();
			gates.set(key, gate);
			await gate.promise;
			log.push(`-${key}`);
		},
		stop.signal,
	);
	await clock.advance(0);
	t.deepEqual(log, ['+a', '+b']);
	queue.add('a');
	queue.add('a');
	gates.get('b')?.resolve();
	await clock.advance(0);
	t.deepEqual(log, ['+a', '+b', '-b', '+c']);
	gates.get('a')?.resolve();
	await clock.advance(0);
	t.deepEqual(log.slice(4), ['-a', '+a']);
	stop.abort();
	for (const gate of gates.values()) gate.resolve();
	await done;
	t.deepEqual(log.slice(-2).toSorted(), ['-a', '-c'], 'handlers under way are awaited');
});

test('work queue: failures wait 5 ms, doubling; success starts afresh; metrics', async (t) => {
	const clock = new VirtualClock();
	const metrics = createMetrics();
	const errors: number[] = [];
	const queue = createWorkQueue({ name: 'q', clock, metrics, onError: (_key, _error, retryMs) => errors.push(retryMs) });
	const times: number[] = [];
	const stop = new AbortController();
	queue.add('k');
	const done = queue.run(
		1,
		(key) => {
			times.push(clock.monotonic());
			if (times.length === 4) return Promise.resolve({ afterMs: 100 });
			if (times.length === 6) return Promise.resolve();
			return Promise.reject(new Error(`no ${key}`));
		},
		stop.signal,
	);
	await clock.advance(1000);
	t.deepEqual(times, [0, 5, 15, 35, 135, 140]);
	t.deepEqual(errors, [5, 10, 20, 5]);
	stop.abort();
	await done;
	const text = await metrics.metrics();
	t.true(text.includes('workqueue_adds_total{name="q"} 6'));
	t.true(text.includes('workqueue_retries_total{name="q"} 4'));
	t.true(text.includes('workqueue_depth{name="q"} 0'));
	t.true(text.includes('workqueue_work_duration_seconds_count{name="q"} 6'));
});

test('work queue: of several waits the earliest counts', async (t) => {
	const clock = new VirtualClock();
	const queue = createWorkQueue({ name: 'q', clock });
	queue.addAfter('k', 100);
	queue.addAfter('k', 50);
	queue.addAfter('k', 200);
	await clock.advance(49);
	t.is(queue.length, 0);
	await clock.advance(1);
	t.is(queue.length, 1);
	t.is(clock.pending, 0);
});
