import test from 'ava';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { TerminalSize } from '../../wire/remotecommand/session.ts';
import { sizesInOrder } from './terminal-sizes.ts';

const size = (width: number): TerminalSize => ({ width, height: 1 });

test('sizes go one at a time, and only the newest of those that wait', async (t) => {
	const told: number[] = [];
	const gates: (() => void)[] = [];
	const take = sizesInOrder(
		async ({ width }) => {
			told.push(width);
			await new Promise<void>((resolve) => gates.push(resolve));
		},
		new VirtualClock(),
		new AbortController().signal,
	);
	for (const width of [1, 2, 3]) take(size(width));
	t.deepEqual(told, [1]);
	gates.shift()?.();
	await new Promise(setImmediate);
	t.deepEqual(told, [1, 3]);
	gates.shift()?.();
	await new Promise(setImmediate);
	take(size(4));
	t.deepEqual(told, [1, 3, 4]);
});

test('a size that found no terminal is told again, ten times at most, and not after the end', async (t) => {
	const clock = new VirtualClock();
	let tries = 0;
	let there = false;
	const tell = async (): Promise<void> => {
		tries++;
		if (!there) throw new Error('process not found');
	};
	const end = new AbortController();
	const take = sizesInOrder(tell, clock, end.signal);
	take(size(1));
	await clock.advance(20);
	t.true(tries > 1);
	there = true;
	await clock.advance(1000);
	const before = tries;
	await clock.advance(10_000);
	t.is(tries, before);
	there = false;
	take(size(2));
	await clock.advance(60_000);
	t.is(tries, before + 10);
	take(size(3));
	end.abort();
	await clock.advance(60_000);
	t.is(tries, before + 11);
});
