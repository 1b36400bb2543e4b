/** When systemd's watchdog is told that the agent lives, and when it is not. */
import test from 'ava';
import { noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { PlegHealth } from '../pod/pleg-health.ts';
import { watchdogMsIn, watched } from './watchdog.ts';

for (const [name, env, want] of [
	['no watchdog', {}, 0],
	['of this process', { WATCHDOG_USEC: '30000000', WATCHDOG_PID: '7' }, 30_000],
	['of whoever has the variable', { WATCHDOG_USEC: '30000000' }, 30_000],
	['of another process', { WATCHDOG_USEC: '30000000', WATCHDOG_PID: '8' }, 0],
	['no number', { WATCHDOG_USEC: '30s' }, 'configure watchdog: error converting WATCHDOG_USEC: "30s" is not a number'],
	['nothing', { WATCHDOG_USEC: '0' }, 'configure watchdog: error WATCHDOG_USEC must be a positive number'],
	[
		'no process',
		{ WATCHDOG_USEC: '30000000', WATCHDOG_PID: 'x' },
		'configure watchdog: error converting WATCHDOG_PID: "x" is not a number',
	],
	['too short', { WATCHDOG_USEC: '1000000', WATCHDOG_PID: '7' }, 'configure watchdog timeout too small: 1s'],
] as const)
	test(`the watchdog's time: ${name}`, (t) => {
		if (typeof want === 'number') t.is(watchdogMsIn(env, 7), want);
		else t.throws(() => watchdogMsIn(env, 7), { message: want });
	});

/** An agent that runs until it is told to stop, with whoever hears of it. */
function scene(watchdogMs: number) {
	const clock = new VirtualClock();
	const heard: string[] = [];
	const faults: number[] = [];
	const stop = new AbortController();
	let health: PlegHealth | undefined;
	const manager = {
		watchdogMs,
		async notify(state: string): Promise<void> {
			if (faults.pop() !== undefined) throw new Error('no socket');
			heard.push(`${clock.monotonic() / 1000} ${state}`);
		},
	};
	const ended = watched(manager, { clock, log: noLog }, stop.signal, async (given) => {
		health = given;
		await clock.sleep(Number.MAX_SAFE_INTEGER, stop.signal).catch(() => {});
	});
	return { clock, heard, faults, looked: () => health?.looked(), end: async () => (stop.abort(), ended) };
}

test('the start is told at once, life twice in the time', async (t) => {
	const { clock, heard, end } = scene(30_000);
	await clock.advance(31_000);
	t.deepEqual(heard, ['0 READY=1', '0 WATCHDOG=1', '15 WATCHDOG=1', '30 WATCHDOG=1']);
	await end();
	t.is(clock.pending, 0);
});

test('without a watchdog only the start is told', async (t) => {
	const { clock, heard, end } = scene(0);
	await clock.advance(100_000);
	t.deepEqual(heard, ['0 READY=1']);
	await end();
});

test('an agent that no longer looks at its runtime is not said to live, until it does again', async (t) => {
	const { clock, heard, looked, end } = scene(400_000);
	await clock.advance(800_000);
	t.deepEqual(heard.slice(1), ['0 WATCHDOG=1', '200 WATCHDOG=1', '400 WATCHDOG=1', '600 WATCHDOG=1'], '600 s are the most without a look');
	looked();
	await clock.advance(200_000);
	t.is(heard.at(-1), '1000 WATCHDOG=1');
	await end();
});

test('what could not be told is told again a second later, once', async (t) => {
	const { clock, heard, faults, end } = scene(30_000);
	await clock.advance(1000);
	faults.push(1);
	await clock.advance(16_500);
	t.is(Math.floor(Number(heard.at(-1)?.split(' ')[0])), 16);
	faults.push(1, 1);
	await clock.advance(14_000);
	t.is(heard.length, 3, 'nothing is tried a third time');
	await end();
});
