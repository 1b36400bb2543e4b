/** When it is looked, and how often it is written: on virtual time, with somebody who wants it otherwise. */
import test from 'ava';
import { AppError } from '../../../base/errors.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { Upkeep, type Kept } from './upkeep.ts';

interface World {
	readonly clock: VirtualClock;
	readonly upkeep: Upkeep;
	/** Whether it is as it has to be. */
	readonly state: { isRight: boolean; fails: AppError | undefined; looks: number };
	/** When it was tried to be written, in ms. */
	readonly tries: number[];
	/** Somebody changes it. */
	readonly spoil: () => void;
}

async function world(isForLater = false): Promise<World & { readonly stop: () => Promise<void> }> {
	const clock = new VirtualClock(0);
	const state: World['state'] = { isRight: false, fails: undefined, looks: 0 };
	const tries: number[] = [];
	let touched: (() => void) | undefined;
	const kept: Kept = {
		...{ name: 'it', intervalMs: 10_000, isForLater },
		follow(touch) {
			touched = touch;
			return { [Symbol.dispose]: () => (touched = undefined) };
		},
		look() {
			state.looks++;
			if (state.isRight) return undefined;
			return async () => {
				tries.push(clock.monotonic());
				if (state.fails !== undefined) throw state.fails;
				state.isRight = true;
				touched?.();
				await Promise.resolve();
			};
		},
	};
	const upkeep = new Upkeep([kept], { reader: {}, clock, log: noLog });
	const stop = new AbortController();
	const running = upkeep.run(stop.signal);
	await clock.advance(0);
	const spoil = (): void => {
		state.isRight = false;
		touched?.();
	};
	return {
		...{ clock, upkeep, state, tries, spoil },
		async stop() {
			stop.abort();
			await running;
			if (touched !== undefined || clock.pending > 0) throw new Error('something is left behind');
		},
	};
}

test('what is wrong is put right at once; who insists is answered once an interval', async (t) => {
	const { clock, state, tries, spoil, stop } = await world();
	t.deepEqual(tries, [0]);
	await clock.advance(60_000);
	t.deepEqual(tries, [0]);
	const { looks } = state;
	await clock.advance(600_000);
	t.is(state.looks, looks, 'nothing is polled');
	spoil();
	await clock.advance(0);
	t.deepEqual(tries.splice(0), [0, 660_000]);
	for (let i = 0; i < 30; i++) {
		spoil();
		await clock.advance(1000);
	}
	t.deepEqual(tries, [670_000, 680_000, 690_000].slice(0, tries.length));
	t.true(tries.length >= 2);
	await stop();
});

test('what fails is tried again later and later, an interval at most, however often it is touched', async (t) => {
	const { clock, state, tries, spoil, stop } = await world();
	await clock.advance(10_000);
	tries.length = 0;
	state.fails = new AppError('Unavailable', 'no');
	for (let i = 0; i < 120; i++) {
		spoil();
		await clock.advance(1000);
	}
	t.true(tries.length > 8 && tries.length < 25, String(tries.length));
	for (const [i, at] of tries.entries()) if (i > 0) t.true(at - (tries[i - 1] as number) <= 10_000);
	state.fails = undefined;
	await clock.advance(10_000);
	t.true(state.isRight);
	await stop();
});

test('at the start what another server did meanwhile is looked at again; other failures are told', async (t) => {
	for (const [code, want] of [
		['Aborted', 5],
		['AlreadyExists', 5],
		['Unavailable', 1],
	] as const) {
		const { state, tries, upkeep, stop } = await world();
		tries.length = 0;
		Object.assign(state, { isRight: false, fails: new AppError(code, 'no') });
		await t.throwsAsync(upkeep.begin(new AbortController().signal), { message: 'no' });
		t.is(tries.length, want);
		await stop();
	}
});

test('what may come later does not keep the server from starting, and is tried again', async (t) => {
	const { clock, state, upkeep, spoil, stop } = await world(true);
	Object.assign(state, { isRight: false, fails: new AppError('Unavailable', 'no') });
	await upkeep.begin(new AbortController().signal);
	t.false(state.isRight);
	state.fails = undefined;
	spoil();
	await clock.advance(10_000);
	t.true(state.isRight);
	await stop();
});
