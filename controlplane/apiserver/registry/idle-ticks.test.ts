import test from 'ava';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { IdleTicks } from './idle-ticks.ts';

test('IdleTicks: a tick after so long without anything, and again after so long without a tick', async (t) => {
	const clock = new VirtualClock();
	let ticks = 0;
	const idle = new IdleTicks(clock, 60_000, () => ticks++);
	await clock.advance(50_000);
	idle.touch();
	await clock.advance(59_999);
	t.is(ticks, 0);
	await clock.advance(1);
	t.is(ticks, 1);
	await clock.advance(60_000);
	t.is(ticks, 2);
	idle[Symbol.dispose]();
	t.is(clock.pending, 0);
});
