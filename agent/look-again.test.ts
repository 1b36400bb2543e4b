/** Looking at a folder again and again. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { VirtualClock } from '../base/virtual-clock.ts';
import { eventually } from '../test/tools/eventually.ts';
import { lookAgain } from './look-again.ts';

test('a folder is looked at every period, and at a change; however often, there is one listener', async (t) => {
	const path = mkdtempSync(join(tmpdir(), 'kubeling-look-'));
	const clock = new VirtualClock();
	const stop = new AbortController();
	const warnings: string[] = [];
	const warned = ({ message }: Error): void => void warnings.push(message);
	process.on('warning', warned);
	t.teardown(() => {
		process.off('warning', warned);
		rmSync(path, { recursive: true });
	});
	let looks = 0;
	const done = lookAgain({ path, periodMs: 10_000, quietMs: 20, clock }, async () => void looks++, stop.signal);
	for (let i = 1; i <= 20; i++) {
		await eventually('it waits', async () => clock.pending > 0);
		await clock.advance(10_000);
		await eventually('it has looked', async () => looks > i);
	}
	const before = looks;
	writeFileSync(join(path, 'new'), '');
	await eventually('a change is seen before the period is over', async () => {
		await clock.advance(20);
		return looks > before;
	});
	stop.abort();
	await done;
	await new Promise((resolve) => setImmediate(resolve));
	t.deepEqual(warnings, []);
});
