import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { eventually } from '../../test/tools/eventually.ts';
import { dialPort } from './port-dial.ts';

/** A helper that connects and does as the script says, and whether it has ended. */
async function helper(script: string) {
	const dir = await mkdtemp(join(tmpdir(), 'dial-'));
	const path = join(dir, 'helper');
	await writeFile(path, `#!/bin/sh\necho $$ > "$0.pid"\necho connected >&2\n${script}\n`);
	await chmod(path, 0o755);
	const ended = async (): Promise<boolean> => {
		const pid = (await readFile(`${path}.pid`, 'utf8')).trim();
		return /^State:\s+Z/m.test(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State: Z'));
	};
	return { path, ended, [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) };
}

test('what the other side said before it closed is read, however late, and whatever is written then', async (t) => {
	await using scene = await helper('echo answer');
	const connection = await dialPort(scene.path, 1, 80);
	connection.on('error', (error) => t.fail(error.message));
	await eventually('it has ended', scene.ended);
	for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
	connection.write('nobody hears');
	t.is(await text(connection), 'answer\n');
});

test('both sides end one by one', async (t) => {
	await using scene = await helper('cat; echo over');
	const connection = await dialPort(scene.path, 1, 80);
	connection.end('hello ');
	t.is(await text(connection), 'hello over\n');
});

test('a connection that is given up ends its helper', async (t) => {
	await using scene = await helper('exec sleep 1000');
	const connection = await dialPort(scene.path, 1, 80);
	connection.destroy();
	await eventually('it has ended', scene.ended);
	t.pass();
});

test('a helper that has ended before anybody looks has said all the same what the other side said', async (t) => {
	await using scene = await helper('echo answer');
	const dialing = dialPort(scene.path, 1, 80);
	// The loop does not turn meanwhile: its connection, its output and its end come in one.
	for (const until = performance.now() + 300; performance.now() < until; );
	t.is(await text(await dialing), 'answer\n');
});
