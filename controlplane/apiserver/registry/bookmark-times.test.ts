import test from 'ava';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { BookmarkTimes } from './bookmark-times.ts';

for (const [name, timeoutMs, want] of [
	['every minute and two seconds before the end', 150_000, [60_000, 120_000, 148_000]],
	['before the end of a short watch', 8000, [6000]],
	['never where the end is near', 2000, []],
] as const)
	test(`BookmarkTimes: ${name}`, async (t) => {
		const clock = new VirtualClock();
		const start = clock.monotonic();
		const told: number[] = [];
		const times = new BookmarkTimes(clock, timeoutMs, () => told.push(clock.monotonic() - start));
		await clock.advance(timeoutMs);
		t.deepEqual(told, want);
		times[Symbol.dispose]();
		t.is(clock.pending, 0);
	});

test('BookmarkTimes: disposed, it leaves nothing behind', (t) => {
	const clock = new VirtualClock();
	new BookmarkTimes(clock, 600_000, () => t.fail())[Symbol.dispose]();
	t.is(clock.pending, 0);
});
