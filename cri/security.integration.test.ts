/**
 * What a hostile pod, image or local user may try, on the real engine. Each test fails when its defence is taken out: `npm run soak -- cri-defences`
 * does so, one after the other (test/crash/cri/defences.ts).
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, linkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { connectCommand } from '../wire/remotecommand/connect.ts';
import { containerConfig, ensureTestImage, sandboxConfig, startTestShim, TEST_IMAGE, liveTests, type TestShim } from '../test/tools/cri.ts';
import { eventually } from '../test/tools/eventually.ts';
import type { Engine } from './engine/engine.ts';
import type { ContainerInspect } from './engine/types.ts';
import { INSTANCE_LABEL } from './convert/labels.ts';
import { logPathOf } from './logs/log-path.ts';

const { engine, live } = await liveTests(test);

let shim: TestShim;
test.before(async () => {
	if (typeof engine === 'string') return;
	await ensureTestImage(engine);
	shim = await startTestShim(`sec${process.pid}`);
});
test.after.always(async () => shim?.stop());

interface Made {
	readonly sandbox: string;
	readonly id: string;
	readonly logs: string;
}

async function made(name: string, command: readonly string[], before: (logs: string) => void = () => {}): Promise<Made> {
	const config = sandboxConfig(name, { logDirectory: `${shim.dir}/logs/${name}` });
	const { podSandboxId: sandbox } = await shim.runtime.runPodSandbox({ config, runtimeHandler: '' });
	before(config.logDirectory);
	const { containerId: id } = await shim.runtime.createContainer({
		podSandboxId: sandbox,
		config: containerConfig('main', command, { logPath: 'main/0.log' }),
		sandboxConfig: config,
	});
	return { sandbox, id, logs: config.logDirectory };
}

const gone = (sandbox: string): Promise<unknown> => shim.runtime.removePodSandbox({ podSandboxId: sandbox });
const never = new AbortController().signal;

for (const [path, ok] of [
	['main/0.log', true],
	['a/./b.log', true],
	['../other/0.log', false],
	['main/../../x', false],
	['..', false],
	['/etc/cron.d/x', false],
	['a\0b', false],
	['main/', false],
] as const)
	test(`log paths: ${JSON.stringify(path)} is ${ok ? 'taken' : 'refused'}`, (t) => {
		if (ok) t.true(logPathOf('/logs', path).startsWith('/logs/'));
		else t.throws(() => logPathOf('/logs', path), { code: 'InvalidArgument' });
	});

for (const [what, place] of [
	[
		'a file',
		(logs: string, victim: string) => {
			mkdirSync(`${logs}/main`, { recursive: true });
			symlinkSync(victim, `${logs}/main/0.log`);
		},
	],
	[
		'a name of nothing yet',
		(logs: string, victim: string) => {
			mkdirSync(`${logs}/main`, { recursive: true });
			rmSync(`${victim}.new`, { force: true });
			symlinkSync(`${victim}.new`, `${logs}/main/0.log`);
		},
	],
	['a folder', (logs: string, victim: string) => symlinkSync(victim.replace(/\/0.log$/, ''), `${logs}/main`)],
	[
		'a second name',
		(logs: string, victim: string) => {
			mkdirSync(`${logs}/main`, { recursive: true });
			linkSync(victim, `${logs}/main/0.log`);
		},
	],
] as const)
	live(`a link in place of a log is not written through: ${what}`, async (t) => {
		const victims = `${shim.dir}/victims`;
		mkdirSync(victims, { recursive: true });
		const victim = `${victims}/0.log`;
		writeFileSync(victim, 'untouched');
		const p = await made(`link-${what.replaceAll(' ', '')}`, ['sh', '-c', 'echo written'], (logs) => place(logs, victim));
		await t.throwsAsync(shim.runtime.startContainer({ containerId: p.id }));
		await gone(p.sandbox);
		t.is(readFileSync(victim, 'utf8'), 'untouched');
		t.false(existsSync(`${victim}.new`), 'and nothing is made');
	});

live('a link that takes the place of a log later is not reopened, and not cut after a restart', async (t) => {
	const victim = `${shim.dir}/victim`;
	writeFileSync(victim, 'no newline at the end');
	const p = await made('late', ['sh', '-c', 'while :; do echo on; busybox usleep 20000; done']);
	await shim.runtime.startContainer({ containerId: p.id });
	renameSync(`${p.logs}/main/0.log`, `${p.logs}/main/0.log.1`);
	symlinkSync(victim, `${p.logs}/main/0.log`);
	await t.throwsAsync(shim.runtime.reopenContainerLog({ containerId: p.id }));
	await shim.restart();
	await shim.runtime.containerStatus({ containerId: p.id, verbose: false });
	await gone(p.sandbox);
	t.is(readFileSync(victim, 'utf8'), 'no newline at the end');
});

live('an image or a container with the labels of this shim is none of its own', async (t) => {
	if (typeof engine === 'string') return;
	const { instance } = JSON.parse((await shim.runtime.status({ verbose: true })).info['config'] ?? '{}') as { instance: string };
	const name = `kubeling-spoof-${process.pid}`;
	const body = {
		Image: TEST_IMAGE,
		Entrypoint: ['busybox'],
		Cmd: ['sleep', '1000'],
		NetworkDisabled: true,
		Labels: { [INSTANCE_LABEL]: instance, 'io.kubernetes.pod.name': 'mine' },
	};
	const { Id } = await engine.call<{ Id: string }>({ method: 'POST', path: '/containers/create', query: { name }, body });
	try {
		await engine.call<undefined>({ method: 'POST', path: `/containers/${Id}/start` });
		await shim.restart();
		const { containers } = await shim.runtime.listContainers({ filter: undefined });
		const { items } = await shim.runtime.listPodSandbox({ filter: undefined });
		t.false([...containers, ...items].some((c) => c.id === Id));
		await t.throwsAsync(shim.runtime.containerStatus({ containerId: Id, verbose: false }), { code: 'NotFound' });
		await shim.runtime.removeContainer({ containerId: Id });
		const { State } = await engine.call<{ State: { Running: boolean } }>({ method: 'GET', path: `/containers/${Id}/json` });
		t.true(State.Running, 'and is left alone');
	} finally {
		await engine.call<undefined>({ method: 'DELETE', path: `/containers/${Id}`, query: { force: true } });
	}
});

live("a sandbox's process may hardly ask the kernel for anything", async (t) => {
	const { podSandboxId } = await shim.runtime.runPodSandbox({ config: sandboxConfig('profile'), runtimeHandler: '' });
	const { State } = await (engine as Engine).call<ContainerInspect>({ method: 'GET', path: `/containers/${podSandboxId}/json` });
	// SECCOMP_MODE_FILTER of linux/seccomp.h
	await eventually('its filter is in force', async () =>
		/^NoNewPrivs:\t1\nSeccomp:\t2$/m.test(readFileSync(`/proc/${State.Pid}/status`, 'utf8')),
	);
	await gone(podSandboxId);
	t.pass();
});

live('ids and names lead nowhere else', async (t) => {
	if (typeof engine === 'string') return;
	for (const path of ['/containers/../images/json', '/containers//json', '/containers/x/.', '/containers/'])
		await t.throwsAsync(engine.call<unknown>({ method: 'GET', path }), { code: 'InvalidArgument' }, path);
	const p = await made('ids', ['busybox', 'sleep', '1000']);
	await shim.runtime.startContainer({ containerId: p.id });
	for (const id of ['../images/x', '..%2f..%2finfo', 'x/../../version', '', ' ', '*', 'a\nb']) {
		await t.throwsAsync(shim.runtime.containerStatus({ containerId: id, verbose: false }), { code: 'NotFound' }, JSON.stringify(id));
		await t.throwsAsync(shim.runtime.podSandboxStatus({ podSandboxId: id, verbose: false }), { code: 'NotFound' }, JSON.stringify(id));
		await t.throwsAsync(shim.runtime.execSync({ containerId: id, cmd: ['id'], timeout: 1n }), { code: 'NotFound' });
	}
	const config = sandboxConfig('x', { metadata: { name: '../../x', namespace: 'a/../b', uid: 'u?all=1', attempt: 0 } });
	const { podSandboxId } = await shim.runtime.runPodSandbox({ config, runtimeHandler: '' });
	const { status } = await shim.runtime.podSandboxStatus({ podSandboxId, verbose: false });
	t.deepEqual(status?.metadata, config.metadata, 'what was asked for is told as it was');
	await gone(podSandboxId);
	await gone(p.sandbox);
});

live('a streaming URL is good once, for what it was made, and cannot be guessed', async (t) => {
	const p = await made('token', ['busybox', 'sleep', '1000']);
	await shim.runtime.startContainer({ containerId: p.id });
	const wants = { stdin: false, stdout: true, stderr: false, tty: false };
	const { url } = await shim.runtime.exec({ containerId: p.id, cmd: ['busybox', 'echo', 'once'], ...wants });
	const target = (href: string) => ({ url: new URL(href) });
	t.regex(new URL(url).pathname, /^\/exec\/[\w-]{32,}$/, 'at least 192 bits of chance');
	await t.throwsAsync(connectCommand(target(url.replace('/exec/', '/attach/')), wants, 'websocket', never));
	await t.throwsAsync(connectCommand(target(url), wants, 'websocket', never), undefined, 'a wrong use spends it');
	const { url: second } = await shim.runtime.exec({ containerId: p.id, cmd: ['busybox', 'echo', 'once'], ...wants });
	const session = await connectCommand(target(second), wants, 'websocket', never);
	t.is((await buffer(session.stdout as AsyncIterable<Buffer>)).toString(), 'once\n');
	await session.ended;
	await t.throwsAsync(connectCommand(target(second), wants, 'websocket', never), undefined, 'used');
	const guess = second.slice(0, -4);
	for (const end of ['', 'AAAA', '%00', '../x'])
		await t.throwsAsync(connectCommand(target(guess + end), wants, 'websocket', never), undefined, `guessed ${end}`);
	await gone(p.sandbox);
});

live('output without end of ExecSync is bounded', async (t) => {
	const p = await made('flood', ['busybox', 'sleep', '1000']);
	await shim.runtime.startContainer({ containerId: p.id });
	const cmd = ['sh', '-c', 'busybox dd if=/dev/zero bs=1048576 count=40 2>/dev/null; echo told >&2'];
	const { stdout, stderr, exitCode } = await shim.runtime.execSync({ containerId: p.id, cmd, timeout: 120n });
	t.is(exitCode, 0, 'the command is not held up');
	t.true(stdout.length + stderr.length <= 16 << 20, `${stdout.length}`);
	await gone(p.sandbox);
});

live('thousands of idle connections hold nobody up, and are let go', async (t) => {
	const p = await made('idle', ['busybox', 'sleep', '1000']);
	await shim.runtime.startContainer({ containerId: p.id });
	const wants = { stdin: false, stdout: true, stderr: false, tty: false };
	const exec = async (): Promise<URL> =>
		new URL((await shim.runtime.exec({ containerId: p.id, cmd: ['busybox', 'echo', 'served'], ...wants })).url);
	const { hostname, port } = await exec();
	const idle: Socket[] = [];
	let open = 0;
	for (let i = 0; i < 2000; i++) {
		const socket = connect(Number(port), hostname);
		socket
			.on('error', () => {})
			.on('close', () => open--)
			.resume();
		idle.push(socket);
		await once(socket, 'connect');
		open++;
		if (i % 2 === 0) socket.write('GET /exec/');
	}
	const session = await connectCommand({ url: await exec() }, wants, 'spdy', never);
	t.is((await buffer(session.stdout as AsyncIterable<Buffer>)).toString(), 'served\n');
	await session.ended;
	await eventually(
		() => `${open} connections are open`,
		async () => open === 0,
		90_000,
	).finally(() => idle.forEach((s) => s.destroy()));
	t.pass();
	await gone(p.sandbox);
	rmSync(`${shim.dir}/victims`, { recursive: true, force: true });
});
