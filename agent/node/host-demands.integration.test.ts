/** The limit of open files, of a process of this machine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import test from 'ava';
import { limitOpenFiles } from './host-demands.ts';

test('limitOpenFiles(): both limits of the process; one that is gone is an error', async (t) => {
	const child = spawn('cat', { stdio: ['pipe', 'ignore', 'inherit'] });
	await once(child, 'spawn');
	const pid = child.pid ?? 0;
	await limitOpenFiles(pid, 777);
	t.regex(await readFile(`/proc/${pid}/limits`, 'utf8'), /^Max open files +777 +777 /m);
	const ended = once(child, 'exit');
	child.stdin.end();
	await ended;
	await t.throwsAsync(limitOpenFiles(pid, 777), { message: /prlimit/ });
});
