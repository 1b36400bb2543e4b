/** `kubeling cri` on its own, used as people use it: every verb of crictl, /healthz, /metrics, and a reload that pods outlive. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { destroyShim } from '../../cri/destroy.ts';
import { crictl } from '../tools/crictl.ts';
import { must, run, Running, type Result } from '../tools/command.ts';
import { ENGINE_SOCKET, ensureTestImage, TEST_IMAGE, liveTests } from '../tools/cri.ts';
import { eventually } from '../tools/eventually.ts';

const { engine, live } = await liveTests(test);

const NAME = `crictl${process.pid}`;
let dir: string;
let binary: string;
let shim: ChildProcess;

test.before(async () => {
	if (typeof engine === 'string') return;
	await ensureTestImage(engine);
	binary = await crictl();
	dir = await mkdtemp(join(tmpdir(), `kubeling-${NAME}-`));
	await writeFile(join(dir, 'cri.yaml'), `clusterName: ${NAME}\nmetricsAddress: {host: 127.0.0.1, port: 0}\n`);
	shim = fork(
		join(import.meta.dirname, '..', '..', 'cli', 'cli.ts'),
		['cri', '--config', join(dir, 'cri.yaml'), '--listen', `unix://${socket()}`, '--data-dir', join(dir, 'data'), '--log-level', 'warn'],
		{ execArgv: ['--disable-warning=ExperimentalWarning'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
	);
	await ready();
});
test.after.always(async () => {
	if (dir === undefined) return;
	if (shim?.exitCode === null) {
		const gone = once(shim, 'exit');
		shim.kill('SIGTERM');
		await gone;
	}
	await destroyShim({ dataDir: join(dir, 'data'), dockerHost: ENGINE_SOCKET, clusterName: NAME }, { clock: realClock, log: noLog });
	await rm(dir, { recursive: true, force: true });
});

const socket = (): string => join(dir, 'cri.sock');
const flags = (): string[] => ['--runtime-endpoint', `unix://${socket()}`, '--image-endpoint', `unix://${socket()}`, '--timeout', '60s'];
const ctl = (...args: string[]): Promise<string> => must(binary, [...flags(), ...args], { timeoutMs: 120_000 });
const ctlResult = (...args: string[]): Promise<Result> => run(binary, [...flags(), ...args], { timeoutMs: 120_000 });

async function ready(): Promise<void> {
	await Promise.race([
		once(shim, 'message').then(() => {}),
		once(shim, 'exit').then(() => {
			throw new Error('kubeling cri ended');
		}),
	]);
}

async function file(name: string, value: object): Promise<string> {
	const path = join(dir, name);
	await writeFile(path, JSON.stringify(value));
	return path;
}

const pod = (name: string): object => ({
	metadata: { name, namespace: 'default', uid: `uid-${name}`, attempt: 1 },
	log_directory: join(dir, 'logs', name),
	linux: {},
});
const container = (name: string, command: readonly string[]): object => ({
	metadata: { name },
	image: { image: TEST_IMAGE },
	command,
	log_path: `${name}.log`,
	stdin: true,
	linux: {},
});

live('crictl: every verb', async (t) => {
	const says = async (want: RegExp, ...args: string[]): Promise<void> => {
		t.regex(await ctl(...args), want, args.join(' '));
	};
	await says(/RuntimeName: +\S*kubeling|docker/i, 'version');
	await says(/"RuntimeReady"/, 'info');
	await says(/cgroup driver/i, 'runtime-config');
	await ctl('update-runtime-config', '--pod-cidr', '10.97.0.0/24');
	await using events = new Running(binary, [...flags(), 'events'], process.env);
	const told = (what: string): number => events.output.split(what).length - 1;
	// It says nothing once it listens: until then nobody tells it of what comes and goes.
	const probe = await file('probe.json', pod('probe'));
	await eventually('events are told', async () => {
		await ctl('rmp', '--force', (await ctl('runp', probe)).trim());
		return told('CONTAINER_DELETED_EVENT') > 0;
	});
	const [started, deleted] = [told('CONTAINER_STARTED_EVENT'), told('CONTAINER_DELETED_EVENT')];
	const podFile = await file('pod.json', pod('one'));
	const script = 'echo out; echo err >&2; while read x; do echo got $x; done; busybox sleep 1000';
	const containerFile = await file('container.json', container('main', ['sh', '-c', script]));
	const sandbox = (await ctl('runp', podFile)).trim();
	await says(new RegExp(sandbox.slice(0, 13)), 'pods');
	await says(/"SANDBOX_READY"/, 'inspectp', sandbox);
	const id = (await ctl('create', sandbox, containerFile, podFile)).trim();
	await ctl('start', id);
	await says(/Running +main/, 'ps');
	await says(/"CONTAINER_RUNNING"/, 'inspect', id);
	await eventually('both starts are told', async () => told('CONTAINER_STARTED_EVENT') >= started + 2);
	for (const transport of ['websocket', 'spdy']) {
		t.is(await ctl('exec', '--transport', transport, id, 'busybox', 'echo', 'streamed'), 'streamed\n', transport);
		const failed = await ctlResult('exec', '--transport', transport, id, 'sh', '-c', 'exit 7');
		t.true(failed.code !== 0 && /7/.test(failed.stderr), failed.stderr);
		const fed = await must(binary, [...flags(), 'exec', '-i', '--transport', transport, id, 'busybox', 'cat'], { input: 'fed' });
		t.is(fed, 'fed', transport);
	}
	await says(/^synced/, 'exec', '-s', id, 'busybox', 'echo', 'synced');
	await using attached = new Running(binary, [...flags(), 'attach', '-i', id], process.env);
	await eventually('the attached container answers', async () => {
		attached.write('hello\n');
		return attached.output.includes('got hello');
	});
	await eventually('the log is there', async () => /out\n[\s\S]*got hello/.test((await ctlResult('logs', id)).stdout));
	await says(/main/, 'stats');
	await says(/one/, 'statsp');
	await says(/container_cpu_usage_seconds_total/, 'metricdescs');
	await says(/container_memory_usage_bytes/, 'metricsp');
	await ctl('update', '--memory', String(64 << 20), id);
	await says(/"memoryLimitInBytes": "67108864"/, 'inspect', id);
	await forwarded(t.is.bind(t), sandbox, id);
	await says(new RegExp(TEST_IMAGE.split(':')[0] ?? ''), 'images');
	await says(/"repoTags"/, 'inspecti', TEST_IMAGE);
	await says(/imageFilesystems|"fsId"/, 'imagefsinfo');
	const pull = await ctlResult('pull', '127.0.0.1:1/none/such:1');
	t.true(pull.code !== 0 && /127\.0\.0\.1:1/.test(pull.stderr), pull.stderr);
	t.is((await ctlResult('rmi', 'kubeling-test/none:1')).stdout.includes('panic'), false);
	const checkpoint = await ctlResult('checkpoint', '--export', join(dir, 'checkpoint.tar'), id);
	t.true(checkpoint.code === 0 || /heckpoint/.test(checkpoint.stderr), checkpoint.stderr);
	await ctl('stop', '--timeout', '0', id);
	await says(/Exited +main/, 'ps', '-a');
	await ctl('rm', id);
	await ctl('stopp', sandbox);
	await says(/NotReady/, 'pods');
	await ctl('rmp', sandbox);
	await ctl('run', '--no-pull', await file('c2.json', container('two', ['busybox', 'sleep', '1000'])), await file('p2.json', pod('two')));
	await eventually('the end is told', async () => told('CONTAINER_DELETED_EVENT') > deleted);
	await ctl('rmp', '--all', '--force');
	t.notRegex(await ctl('pods'), /one|two/);
	for (const verb of ['completion', 'config']) await ctl(verb, ...(verb === 'config' ? ['--list'] : []));
});

async function forwarded(is: (a: string, b: string) => unknown, sandbox: string, id: string): Promise<void> {
	await ctl('exec', '-s', id, 'sh', '-c', '(while :; do echo from the pod | busybox nc -l -p 8080; done) >/dev/null 2>&1 &');
	for (const transport of ['websocket', 'spdy']) {
		await using forward = new Running(binary, [...flags(), 'port-forward', '--transport', transport, sandbox, ':8080'], process.env);
		const port = Number((await forward.waitFor(/Forwarding from 127\.0\.0\.1:(\d+)/, 60_000))[1]);
		const answer = await eventually(`port-forward over ${transport}`, async () => (await askPort(port)) || undefined);
		is(answer, 'from the pod\n');
	}
}

function askPort(port: number): Promise<string> {
	return new Promise((resolve) => {
		let text = '';
		const client = connect(port, '127.0.0.1').setEncoding('utf8');
		client.on('data', (chunk: string) => (text += chunk)).on('error', () => {});
		client.on('close', () => resolve(text)).setTimeout(10_000, () => client.destroy());
	});
}

live('a reload keeps pods and their logs; a wrong configuration changes nothing', async (t) => {
	const sandbox = (await ctl('runp', await file('pod3.json', pod('kept')))).trim();
	const script = 'i=0; while :; do echo line $i; i=$((i+1)); busybox usleep 20000; done';
	const id = (await ctl('create', sandbox, await file('c3.json', container('count', ['sh', '-c', script])), join(dir, 'pod3.json'))).trim();
	await ctl('start', id);
	await writeFile(join(dir, 'cri.yaml'), 'clusterName: 7\n');
	shim.kill('SIGHUP');
	await ctl('ps');
	const reloaded = ready();
	await writeFile(join(dir, 'cri.yaml'), `clusterName: ${NAME}\nmetricsAddress: {host: 127.0.0.1, port: 0}\nengineTimeoutMs: 60000\n`);
	shim.kill('SIGHUP');
	await reloaded;
	t.regex(await ctl('inspect', id), /"CONTAINER_RUNNING"/);
	const numbers = async (): Promise<number[]> =>
		[...(await readFile(join(dir, 'logs', 'kept', 'count.log'), 'utf8')).matchAll(/line (\d+)$/gm)].map((m) => Number(m[1]));
	const before = (await numbers()).length;
	const all = await eventually('the log goes on', async () => {
		const now = await numbers();
		return now.length > before + 5 ? now : undefined;
	});
	t.deepEqual(all, Array.from(all.keys()), 'no line is lost, none comes twice');
	await ctl('rmp', '--force', sandbox);
});
