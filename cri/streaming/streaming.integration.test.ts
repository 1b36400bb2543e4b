/** The streaming server on the real engine: every protocol, both ways, in bulk, half-closed, over TLS, and without a leak. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import test from 'ava';
import { containerConfig, ensureTestImage, sandboxConfig, startTestShim, liveTests, type TestShim } from '../../test/tools/cri.ts';
import { must } from '../../test/tools/command.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { connectCommand } from '../../wire/remotecommand/connect.ts';
import { connectPortForward, type PortForwarder } from '../../wire/remotecommand/port-forward-client.ts';
import type { RemoteCommand } from '../../wire/remotecommand/remote-command.ts';

const { engine, live } = await liveTests(test);

const TRANSPORTS = ['websocket', 'spdy'] as const;
const BULK = randomBytes(64 << 20);
const never = new AbortController().signal;
const hash = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');

let shim: TestShim;
let sandbox: string;
let id: string;
test.before(async () => {
	if (typeof engine === 'string') return;
	await ensureTestImage(engine);
	shim = await startTestShim(`str${process.pid}`);
	[sandbox, id] = await started(shim);
});
test.after.always(async () => shim?.stop());

async function started({ runtime, dir }: TestShim): Promise<readonly [string, string]> {
	const config = sandboxConfig('streams', { logDirectory: join(dir, 'logs') });
	const { podSandboxId } = await runtime.runPodSandbox({ config, runtimeHandler: '' });
	const script = 'while :; do busybox nc -l -p 8080 -e busybox cat; done';
	const { containerId } = await runtime.createContainer({
		podSandboxId,
		config: containerConfig('main', ['sh', '-c', script]),
		sandboxConfig: config,
	});
	await runtime.startContainer({ containerId });
	return [podSandboxId, containerId];
}

interface Wanted {
	readonly stdin?: boolean;
	readonly tty?: boolean;
}

async function exec(
	transport: (typeof TRANSPORTS)[number],
	cmd: string[],
	{ stdin = false, tty = false }: Wanted = {},
): Promise<RemoteCommand> {
	const wants = { stdin, stdout: true, stderr: !tty, tty };
	const { url } = await shim.runtime.exec({ containerId: id, cmd, ...wants });
	return connectCommand({ url: new URL(url) }, wants, transport, never);
}

const output = (command: RemoteCommand): Promise<string> => text(command.stdout as Readable);

for (const transport of TRANSPORTS) {
	live(`${transport}: output, errors and exit codes`, async (t) => {
		const command = await exec(transport, ['sh', '-c', 'echo out; echo err >&2; exit 9']);
		t.deepEqual([await output(command), await text(command.stderr as Readable)], ['out\n', 'err\n']);
		t.deepEqual(await command.ended, { type: 'exit', code: 9 });
		const missing = await exec(transport, ['/no/such/program']);
		await output(missing);
		const end = await missing.ended;
		t.true(end.type === 'error' || end.code >= 126, JSON.stringify(end));
	});

	live(`${transport}: the end of the input alone is told, and the answer still comes`, async (t) => {
		const command = await exec(transport, ['sh', '-c', 'busybox wc -c; echo after'], { stdin: true });
		command.stdin?.end('12345');
		t.regex(await output(command), /^5\nafter\n$/);
		t.deepEqual(await command.ended, { type: 'exit', code: 0 });
	});

	live(`${transport}: a terminal and its sizes`, async (t) => {
		const command = await exec(
			transport,
			['sh', '-c', 'while [ "$(busybox stty size)" != "33 111" ]; do busybox usleep 20000; done; echo sized'],
			{
				tty: true,
				stdin: true,
			},
		);
		command.resize({ width: 80, height: 24 });
		command.resize({ width: 111, height: 33 });
		t.regex(await output(command), /sized/);
		t.deepEqual(await command.ended, { type: 'exit', code: 0 });
	});

	live(`${transport}: 64 MB both ways at once`, async (t) => {
		const command = await exec(transport, ['busybox', 'cat'], { stdin: true });
		const [back] = await Promise.all([
			buffer(command.stdout as Readable),
			pipeline(Readable.from(chunks(BULK)), command.stdin as NonNullable<RemoteCommand['stdin']>),
		]);
		t.is(hash(back), hash(BULK));
		t.deepEqual(await command.ended, { type: 'exit', code: 0 });
	});

	live(`${transport}: a forwarded port carries 64 MB both ways at once, and its end`, async (t) => {
		const { url } = await shim.runtime.portForward({ podSandboxId: sandbox, port: [8080] });
		const forward = await connectPortForward({ url: new URL(url) }, transport, never);
		const connection = await eventually('somebody listens', async () => forward.open(8080).catch(() => undefined));
		const size = 64 << 20;
		let got = 0;
		const sum = createHash('sha256');
		const all = (async () => {
			for await (const chunk of connection) {
				sum.update(chunk as Buffer);
				got += (chunk as Buffer).length;
				if (got === size) return;
			}
		})();
		for (const chunk of chunks(BULK)) if (!connection.write(chunk)) await once(connection, 'drain');
		await all;
		t.is(sum.digest('hex'), hash(BULK));
		connection.destroy();
		forward.close();
	});
}

live('a port that nobody listens on is told by name', async (t) => {
	const { url } = await shim.runtime.portForward({ podSandboxId: sandbox, port: [] });
	const forward = await connectPortForward({ url: new URL(url) }, 'spdy', never);
	const connection = await forward.open(9);
	const told = await once(connection, 'error').catch((error: unknown) => [error]);
	t.regex(String(told[0]), /failed to connect to localhost:9 inside the pod/);
	forward.close();
});

/** A few in CI; `npm run soak -- cri-sessions` has thousands. */
const SESSIONS = Number(process.env['STREAM_SESSIONS'] ?? 120);
const descriptors = async (): Promise<number> => (await readdir('/proc/self/fd')).length;

live('sessions that are idle side by side hold nobody up, still serve, and leave nothing', async (t) => {
	const target = async (ask: Promise<{ url: string }>): Promise<{ url: URL }> => ({ url: new URL((await ask).url) });
	const wants = { stdin: false, stdout: true, stderr: true, tty: false };
	const forward = async (i: number): Promise<PortForwarder> =>
		connectPortForward(await target(shim.runtime.portForward({ podSandboxId: sandbox, port: [8080] })), TRANSPORTS[i % 2] ?? 'spdy', never);
	const attach = async (i: number): Promise<RemoteCommand> =>
		connectCommand(await target(shim.runtime.attach({ containerId: id, ...wants })), wants, TRANSPORTS[i % 2] ?? 'spdy', never);
	(await forward(0)).close();
	(await attach(0)).close();
	const before = await descriptors();
	const forwards: PortForwarder[] = [];
	const attached: RemoteCommand[] = [];
	for (let i = 0; i < SESSIONS * 2; i++) forwards.push(await forward(i));
	for (let i = 0; i < SESSIONS / 4; i++) attached.push(await attach(i));
	t.is(await output(await exec('spdy', ['busybox', 'echo', 'served'])), 'served\n');
	const connection = await eventually('the first still forwards', async () => forwards[0]?.open(8080).catch(() => undefined));
	connection.on('error', () => {}).write('through it');
	t.is(String((await once(connection, 'data'))[0]), 'through it');
	connection.destroy();
	for (const session of [...forwards, ...attached]) session.close();
	await eventually('all descriptors are given back', async () => (await descriptors()) <= before + 4, 90_000);
});

live('sessions leave nothing: descriptors, processes, execs', async (t) => {
	const one = async (i: number): Promise<void> => {
		const transport = TRANSPORTS[i % 2] as (typeof TRANSPORTS)[number];
		const command = await exec(transport, ['busybox', 'echo', String(i)], { stdin: true });
		if (i % 3 === 0)
			command.close(); // half of the clients that there are just leave
		else if ((await output(command)) !== `${i}\n`) throw new Error(`session ${i} answered otherwise`);
		else await command.ended;
	};
	for (let i = 0; i < 4; i++) await one(i);
	const before = await eventually('it is quiet', descriptors);
	let next = 0;
	await Promise.all(
		Array.from({ length: 8 }, async () => {
			while (next < SESSIONS) await one(next++);
		}),
	);
	await eventually('all descriptors are given back', async () => (await descriptors()) <= before + 4, 90_000);
	t.pass();
});

live('over TLS and IPv6 where that is asked for', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-tls-'));
	t.teardown(() => rm(dir, { recursive: true }));
	const [keyFile, certFile] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
	const subject = ['-subj', '/CN=streams', '-addext', 'subjectAltName=IP:::1'];
	await must('openssl', [
		'req',
		'-x509',
		'-newkey',
		'ec',
		'-pkeyopt',
		'ec_paramgen_curve:P-256',
		'-nodes',
		'-keyout',
		keyFile,
		'-out',
		certFile,
		...subject,
	]);
	const secure = await startTestShim(`tls${process.pid}`, undefined, {
		streamingTls: { certFile, keyFile },
		streamingAddress: { host: '::1', port: 0 },
	});
	try {
		const [, containerId] = await started(secure);
		const wants = { stdin: false, stdout: true, stderr: false, tty: false };
		const { url } = await secure.runtime.exec({ containerId, cmd: ['busybox', 'echo', 'secret'], ...wants });
		t.regex(url, /^https:\/\/\[::1\]:\d+\/exec\//);
		const target = { url: new URL(url), tls: { caPem: await readFile(certFile, 'utf8') } };
		const command = await connectCommand(target, wants, 'websocket', never);
		t.is(await output(command), 'secret\n');
	} finally {
		await secure.stop();
	}
});

function* chunks(data: Buffer): Generator<Buffer> {
	for (let at = 0; at < data.length; at += 100_000) yield data.subarray(at, at + 100_000);
}
