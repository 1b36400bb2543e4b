/** Container logs on the real engine: what a program wrote is in the file, once and in order, whatever happens to the shim meanwhile. */
import { readFileSync, renameSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { KillableShim } from '../../test/crash/cri/killable-shim.ts';
import { containerConfig, ENGINE_SOCKET, ensureTestImage, sandboxConfig, liveTests } from '../../test/tools/cri.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { destroyShim } from '../destroy.ts';
import { ContainerState } from '../proto.ts';

const { engine, live } = await liveTests(test);

let dir: string;
let shim: KillableShim;
const begin = async (more: object = {}): Promise<void> => {
	shim = await KillableShim.start({
		socketPath: join(dir, 'cri.sock'),
		dockerHost: ENGINE_SOCKET,
		dataDir: join(dir, 'data'),
		clusterName: `log${process.pid}`,
		...more,
	});
};
test.before(async () => {
	if (typeof engine === 'string') return;
	await ensureTestImage(engine);
	dir = await mkdtemp(join(tmpdir(), 'kubeling-logs-'));
	await begin();
});
test.after.always(async () => {
	if (shim === undefined) return;
	await shim[Symbol.asyncDispose]();
	await destroyShim(shim.options, { clock: realClock, log: noLog });
	await rm(dir, { recursive: true, force: true });
});

interface Logged {
	readonly id: string;
	readonly sandbox: string;
	readonly path: string;
	readonly folder: string;
}

async function logged(name: string, script: string, tty = false): Promise<Logged> {
	const config = sandboxConfig(name, { logDirectory: join(dir, 'logs', name) });
	const { podSandboxId: sandbox } = await shim.runtime.runPodSandbox({ config, runtimeHandler: '' });
	const main = containerConfig('main', ['sh', '-c', script], { tty });
	const { containerId: id } = await shim.runtime.createContainer({ podSandboxId: sandbox, config: main, sandboxConfig: config });
	await shim.runtime.startContainer({ containerId: id });
	return { id, sandbox, folder: config.logDirectory, path: join(config.logDirectory, 'main.log') };
}

async function over({ id }: Logged): Promise<void> {
	await eventually(
		'the container ends',
		async () => (await shim.runtime.containerStatus({ containerId: id, verbose: false })).status?.state === ContainerState.CONTAINER_EXITED,
		120_000,
	);
}

const LINE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z) (stdout|stderr) ([PF]) (.*)$/s;

/** The bytes of one stream as its program wrote them; every line of the file must have the form. */
function written(path: string, stream = 'stdout'): Buffer {
	const parts: string[] = [];
	for (const line of readFileSync(path, 'latin1').split('\n').slice(0, -1)) {
		const match = LINE.exec(line);
		if (match === null) throw new Error(`no CRI log line: ${JSON.stringify(line.slice(0, 200))}`);
		if (match[2] === stream) parts.push(`${match[4]}${match[3] === 'F' ? '\n' : ''}`);
	}
	return Buffer.from(parts.join(''), 'latin1');
}

/** Lines of the whole log, rotated files first. */
const numbers = (folder: string): number[] =>
	readdirSync(folder)
		.filter((f) => f.startsWith('main.log'))
		.sort((a, b) => (a === 'main.log' ? 1 : b === 'main.log' ? -1 : a < b ? -1 : 1))
		.flatMap((f) => [...readFileSync(join(folder, f), 'utf8').matchAll(/line (\d+)$/gm)].map((m) => Number(m[1])));
const LONG = "busybox dd if=/dev/zero bs=1024 count=64 2>/dev/null | busybox tr '\\0' x";

for (const [name, script, want] of [
	['64 KB lines and no newline at the end', `${LONG}; echo; ${LONG}`, Buffer.from(`${'x'.repeat(65536)}\n${'x'.repeat(65536)}`)],
	['binary bytes', "busybox printf '\\000\\377\\200a\\r\\nb\\033[0m\\n'", Buffer.from('\0\xff\x80a\r\nb\x1b[0m\n', 'latin1')],
	['equal lines at once', 'echo 0; echo 0; echo 0', Buffer.from('0\n0\n0\n')],
	['a burst', 'busybox seq 1 200000', Buffer.from(Array.from({ length: 200_000 }, (_, i) => `${i + 1}\n`).join(''))],
] as const)
	live(`what is written is in the file: ${name}`, async (t) => {
		const one = await logged(name.replaceAll(/[^a-z0-9]/gi, ''), script);
		await over(one);
		await eventually('the log is whole', async () => written(one.path).length >= want.length);
		t.true(written(one.path).equals(want));
		const times = readFileSync(one.path, 'latin1')
			.split('\n')
			.slice(0, -1)
			.map((line) => line.slice(0, 30));
		t.true(
			times.every((time, i) => i === 0 || time >= (times[i - 1] as string)),
			'times do not go back',
		);
		await shim.runtime.removePodSandbox({ podSandboxId: one.sandbox });
		t.true(written(one.path).equals(want), 'the file is kept');
	});

for (const driver of ['json-file', 'local'])
	live(`kill -9 of the shim loses no line, doubles none, and keeps their order: ${driver}`, async (t) => {
		// "local" gives long lines back without their end.
		const long = driver === 'json-file' ? 7 : -1;
		if (driver !== 'json-file') {
			await shim[Symbol.asyncDispose]();
			await begin({ engineLogDriver: driver });
		}
		const script = `i=0; while [ $i -lt 400 ]; do echo line $i; [ $((i % 50)) = ${long} ] && { ${LONG}; echo " long $i"; }; i=$((i+1)); busybox usleep 10000; done; echo -n unfinished`;
		const one = await logged(`kill-${driver}`, script);
		for (let i = 0; i < 4; i++) {
			await new Promise((resolve) => setTimeout(resolve, 150 + 211 * i));
			await shim.kill();
			await new Promise((resolve) => setTimeout(resolve, 100 * i));
			await shim.up();
		}
		await over(one);
		const want = Array.from({ length: 400 }, (_, i) => `line ${i}\n${i % 50 === long ? `${'x'.repeat(65536)} long ${i}\n` : ''}`).join('');
		const whole = Buffer.from(`${want}unfinished`);
		await eventually('the log is whole', async () => written(one.path).length >= whole.length);
		const short = (log: Buffer): string => log.toString('latin1').replaceAll(/x{9,}/g, (x) => `[${x.length}]`);
		t.is(short(written(one.path)).trimEnd(), short(whole)); // "local" ends every log with a newline
		await shim.runtime.removePodSandbox({ podSandboxId: one.sandbox });
	});

live('rotation and kill -9 in any order lose no line and double none', async (t) => {
	const one = await logged('rotate', 'i=0; while [ $i -lt 600 ]; do echo line $i; i=$((i+1)); busybox usleep 5000; done');
	for (let i = 0; i < 4; i++) {
		await new Promise((resolve) => setTimeout(resolve, 300));
		renameSync(one.path, `${one.path}.2026010${i}-000000`);
		if (i % 2 === 1) await shim.kill();
		await shim.up();
		const reopened = await shim.runtime.reopenContainerLog({ containerId: one.id }).then(
			() => true,
			() => false,
		);
		if (!reopened) break; // over already, on a slow machine: there is no new file
	}
	await over(one);
	const all = await eventually('the log is whole', async () => (numbers(one.folder).length >= 600 ? numbers(one.folder) : undefined));
	const misplaced = all.flatMap((n, i) => (n === i ? [] : [`${n} is line ${i}`]));
	t.deepEqual([all.length, misplaced.slice(0, 5)], [600, []], `the files: ${readdirSync(one.folder).join()}`);
	await shim.runtime.removePodSandbox({ podSandboxId: one.sandbox });
});

live('a terminal has one stream, after a kill too', async (t) => {
	const one = await logged('tty', 'i=0; while [ $i -lt 100 ]; do echo line $i; i=$((i+1)); busybox usleep 10000; done', true);
	await new Promise((resolve) => setTimeout(resolve, 300));
	await shim.kill();
	await shim.up();
	await over(one);
	const want = Array.from({ length: 100 }, (_, i) => `line ${i}\r\n`).join('');
	await eventually('the log is whole', async () => written(one.path).length >= want.length);
	t.is(written(one.path).toString(), want);
	await shim.runtime.removePodSandbox({ podSandboxId: one.sandbox });
});
