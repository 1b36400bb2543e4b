import test from 'ava';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { IdleTicks } from './idle-ticks.ts';

test('IdleTicks: a tick after so long without anything, and again after so long without a tick', async (t) => {
	const clock = new VirtualClock();
	using idle = new IdleTicks(clock, 60_000);
	t.is(await idle.first(Promise.resolve('event')), 'event');
	await clock.advance(50_000);
	const { promise: next, resolve } = Promise.withResolvers<string>();
	const seen: string[] = [];
	const waiting = (async () => {
		while (seen.at(-1) !== 'event') seen.push(await idle.first(next));
	})();
	await clock.advance(59_999);
	t.deepEqual(seen, []);
	await clock.advance(1);
	t.deepEqual(seen, ['tick']);
	await clock.advance(60_000);
	resolve('event');
	await waiting;
	t.deepEqual(seen, ['tick', 'tick', 'event']);
});
