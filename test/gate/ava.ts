/** Runs ava in this process's Node and prints the totals line from its last `stats` event. */
import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const statsFile = join(tmpdir(), `kubeling-ava-${process.pid}.json`);
const child = spawn(process.execPath, [join(root, 'node_modules/ava/entrypoints/cli.js'), ...process.argv.slice(2)], {
	cwd: root,
	stdio: 'inherit',
	env: { ...process.env, AVA_STATS_FILE: statsFile },
});
const code = await new Promise<number>((resolve) => child.on('close', (c) => resolve(c ?? 1)));
const text = await readFile(statsFile, 'utf8').catch(() => undefined);
await rm(statsFile, { force: true });
if (text !== undefined) {
	const stats = JSON.parse(text) as Record<string, number>;
	const count = (name: string): number => stats[name] ?? 0;
	const failed =
		count('failedTests') +
		count('failedHooks') +
		count('failedWorkers') +
		count('uncaughtExceptions') +
		count('unhandledRejections') +
		count('timeouts');
	console.log(
		`totals: ${count('passedTests') + count('passedKnownFailingTests')} passed, ${failed} failed, ${count('skippedTests') + count('todoTests')} skipped`,
	);
}
process.exitCode = code;
