import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, createServer as createTcp, type AddressInfo, type Server } from 'node:net';
import type { Duplex, Readable, Writable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { codeOf } from '../../base/errors.ts';
import { SpdyConnection } from '../spdy/connection.ts';
import { dialUpgrade } from '../upgrade/dial.ts';
import { dialWebSocket } from '../websocket/dial.ts';
import { acceptCommand, acceptPortForward } from './accept.ts';
import { connectCommand } from './connect.ts';
import { connectPortForward } from './port-forward-client.ts';
import { servePortForward } from './port-forward.ts';
import { endText, LOST, parseEnd, type CommandEnd, type CommandSession, type CommandWants } from './session.ts';

const TRANSPORTS = ['websocket', 'spdy'] as const;
const ALL: CommandWants = { stdin: true, stdout: true, stderr: true, tty: false };
const TTY: CommandWants = { ...ALL, tty: true };
const never = new AbortController().signal;
const EIGHT_MB = randomBytes(8 << 20);
const hash = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');

interface Served {
	readonly url: URL;
	/** Rejections of accepting, as they come. */
	readonly refused: unknown[];
	/** Sessions that are not over. */
	readonly open: () => number;
}

type Serve = (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;

async function withServer(serve: Serve, run: (served: Served) => Promise<void>): Promise<void> {
	const server = createServer();
	const sockets = new Set<Duplex>();
	const refused: unknown[] = [];
	let open = 0;
	server.on('upgrade', (request, socket, head) => {
		sockets.add(socket);
		socket.on('error', () => {});
		open++;
		serve(request, socket, head)
			.catch((error: unknown) => refused.push(error))
			.finally(() => open--);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	try {
		await run({ url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/exec`), refused, open: () => open });
	} finally {
		for (const socket of sockets) socket.destroy();
		server.close();
	}
}

const command =
	(wants: CommandWants, run: (session: CommandSession) => Promise<CommandEnd>): Serve =>
	async (request, socket, head) => {
		const session = await acceptCommand(request, socket, head, wants, realClock);
		await session.finish(await run(session));
	};

const exit = (code: number): CommandEnd => ({ type: 'exit', code });
const must = <T>(value: T | undefined): T => {
	if (value === undefined) throw new Error('expected a stream');
	return value;
};

/** As cat does. */
async function cat({ stdin, stdout }: CommandSession): Promise<CommandEnd> {
	for await (const chunk of must(stdin)) if (!must(stdout).write(chunk)) await once(must(stdout), 'drain');
	return exit(0);
}

async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await new Promise(setImmediate);
}

for (const transport of TRANSPORTS) {
	test(`${transport}: 8 MB go in and out at once, and the end of input is told`, (t) =>
		withServer(command(ALL, cat), async ({ url, open }) => {
			const remote = await connectCommand({ url }, ALL, transport, never);
			const out = buffer(must(remote.stdout));
			must(remote.stdin).end(EIGHT_MB);
			t.is(hash(await out), hash(EIGHT_MB));
			t.deepEqual(await remote.ended, exit(0));
			await until(() => open() === 0);
		}));

	test(`${transport}: output nobody has read yet arrives whole, though the command has ended`, (t) => {
		const written = Promise.withResolvers<void>();
		return withServer(
			command(ALL, async ({ stdout, stderr }) => {
				must(stdout).write(EIGHT_MB);
				must(stderr).write('warning');
				written.resolve();
				return exit(3);
			}),
			async ({ url }) => {
				const remote = await connectCommand({ url }, ALL, transport, never);
				await written.promise;
				const [out, err] = await Promise.all([buffer(must(remote.stdout)), text(must(remote.stderr))]);
				t.is(hash(out), hash(EIGHT_MB));
				t.is(err, 'warning');
				t.deepEqual(await remote.ended, exit(3));
			},
		);
	});

	test(`${transport}: a command that ends without reading its input ends the session`, (t) =>
		withServer(
			command(ALL, async () => exit(0)),
			async ({ url, open }) => {
				const remote = await connectCommand({ url }, ALL, transport, never);
				must(remote.stdin).on('error', () => {});
				must(remote.stdin).write(EIGHT_MB);
				t.deepEqual(await remote.ended, exit(0));
				await text(must(remote.stdout));
				await until(() => open() === 0);
			},
		));

	test(`${transport}: sizes of the terminal arrive in order, and a terminal has no stderr`, (t) =>
		withServer(
			command(TTY, async (session) => {
				t.is(session.stderr, undefined);
				const sizes: string[] = [];
				await new Promise<void>((resolve) =>
					session.onResize(({ width, height }) => {
						sizes.push(`${width}x${height}`);
						if (width === 3) resolve();
					}),
				);
				must(session.stdout).write(sizes.slice(-2).join(' '));
				return exit(0);
			}),
			async ({ url }) => {
				const remote = await connectCommand({ url }, TTY, transport, never);
				for (let width = 1; width <= 3; width++) remote.resize({ width, height: 24 });
				t.is(await text(must(remote.stdout)), '2x24 3x24');
			},
		));

	for (const end of [exit(0), exit(137), { type: 'error', message: 'no such "container"' }] as const satisfies CommandEnd[])
		test(`${transport}: the end is told: ${JSON.stringify(end)}`, (t) =>
			withServer(
				command(ALL, async () => end),
				async ({ url }) => {
					const remote = await connectCommand({ url }, ALL, transport, never);
					t.deepEqual(await remote.ended, end);
				},
			));

	test(`${transport}: a client that leaves is noticed`, (t) =>
		withServer(
			command(ALL, async ({ closed }) => {
				await closed;
				return exit(0);
			}),
			async ({ url, open }) => {
				const remote = await connectCommand({ url }, ALL, transport, never);
				remote.close();
				t.is((await remote.ended).type, 'error');
				await until(() => open() === 0);
			},
		));
}

for (const [what, status, end] of [
	['after the status, as upstream does, which is told', '{"status":"Success"}', exit(0)],
	['before it', '', LOST],
] as const)
	test(`SPDY: a server that breaks the streams ${what}`, (t) =>
		withServer(
			async (_, socket, head) => {
				socket.write(
					'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n',
				);
				const ended = new SpdyConnection(socket, head, {
					side: 'server',
					onStream: (stream) => {
						stream.on('error', () => {});
						if (stream.headers['streamtype'] === 'error') stream.write(status, () => stream.destroy());
					},
				});
				await ended.closed;
			},
			async ({ url }) => {
				const session = await connectCommand({ url }, ALL, 'spdy', never);
				for (const stream of [session.stdin, session.stdout, session.stderr]) stream?.on('error', () => {});
				t.deepEqual(await session.ended, end);
				session.close();
			},
		));

test('SPDY: what came before a server broke its streams can be read later', (t) =>
	withServer(
		async (_, socket, head) => {
			socket.write(
				'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n',
			);
			const streams = new Map<string, Duplex>();
			const ended = new SpdyConnection(socket, head, {
				side: 'server',
				onStream: (stream) => {
					stream.on('error', () => {}).resume();
					streams.set(stream.headers['streamtype'] ?? '', stream);
					if (streams.size < 4) return;
					socket.cork();
					streams.get('stdout')?.write('output');
					streams.get('error')?.write('{"status":"Success"}', () => {
						for (const one of streams.values()) one.destroy();
						setImmediate(() => socket.end());
						socket.uncork();
					});
					setImmediate(() => socket.uncork());
				},
			});
			await ended.closed;
		},
		async ({ url }) => {
			const session = await connectCommand({ url }, ALL, 'spdy', never);
			for (const stream of [session.stdin, session.stdout, session.stderr]) stream?.on('error', () => {});
			await new Promise((resolve) => must(session.stdin).once('close', resolve));
			t.is(await text(must(session.stdout)), 'output');
			t.deepEqual(await session.ended, exit(0));
			session.close();
		},
	));

test('SPDY: a client that leaves before it opened its streams runs nothing', (t) =>
	withServer(
		command(ALL, async () => {
			t.fail('the command ran');
			return exit(0);
		}),
		async ({ url, refused }) => {
			const headers = { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' };
			const { socket } = await dialUpgrade({ url }, 'POST', headers, never);
			socket.destroy();
			await until(() => refused.length > 0);
			t.is(codeOf(refused[0]), 'Unavailable');
		},
	));

test('versions: the newest that both know; none in common is refused with the list; an unknown protocol too', (t) =>
	withServer(command(ALL, cat), async ({ url }) => {
		const spdy = (versions: string[]): ReturnType<typeof dialUpgrade> =>
			dialUpgrade({ url }, 'POST', { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': versions }, never);
		const { headers, socket } = await spdy(['v2.channel.k8s.io', 'v4.channel.k8s.io']);
		socket.destroy();
		t.is(headers['x-stream-protocol-version'], 'v4.channel.k8s.io');
		t.is(codeOf(await t.throwsAsync(spdy(['v9.channel.k8s.io']), { message: /403 Forbidden.*unable to negotiate/ })), 'PermissionDenied');
		await t.throwsAsync(dialWebSocket({ url }, ['v9.channel.k8s.io'], never), { message: /403 Forbidden.*unable to negotiate/ });
		await t.throwsAsync(dialUpgrade({ url }, 'POST', { upgrade: 'SPDY/2' }, never), { message: /400/ });
		await t.throwsAsync(dialUpgrade({ url }, 'GET', { upgrade: 'websocket' }, never), { message: /400/ });
	}));

for (const [name, end, version, said] of [
	['success is silent before v4', exit(0), 1, ''],
	['an error is its text before v4', { type: 'error', message: 'no' }, 3, 'no'],
	['success is a Status from v4 on', exit(0), 4, '{"metadata":{},"status":"Success"}'],
] as const satisfies (readonly [string, CommandEnd, number, string])[])
	test(`end: ${name}`, (t) => {
		t.is(endText(end, version), said);
		t.deepEqual(parseEnd(said, version), end);
	});

async function withPods(
	run: (served: Served, ports: { readonly echo: number; readonly mute: number; readonly closed: number }) => Promise<void>,
): Promise<void> {
	const listen = async (serve: (socket: Duplex) => void): Promise<Server> => {
		const server = createTcp({ allowHalfOpen: true }, (socket) => {
			socket.on('error', () => {});
			serve(socket);
		}).listen(0, '127.0.0.1');
		await once(server, 'listening');
		return server;
	};
	const port = (server: Server): number => (server.address() as AddressInfo).port;
	const mutes = new Set<Duplex>();
	const [echo, mute, closed] = await Promise.all([
		listen((s) => void s.pipe(s)),
		listen((s) => void mutes.add(s.pause())),
		listen(() => {}),
	]);
	const ports = { echo: port(echo), mute: port(mute), closed: port(closed) };
	closed.close();
	const dial = (to: number): Promise<Duplex> =>
		new Promise((resolve, reject) => {
			const socket = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true }, () => resolve(socket)).once('error', reject);
		});
	try {
		await withServer(
			async (request, socket, head) => {
				const accepted = await acceptPortForward(request, socket, head);
				if (accepted.type === 'spdy') await servePortForward(accepted.stream, accepted.head, dial);
			},
			(served) => run(served, ports),
		);
	} finally {
		for (const socket of mutes) socket.destroy();
		echo.close();
		mute.close();
	}
}

/** Writes and half-closes, and reads all that comes back. */
async function exchange(stream: Duplex, data: Uint8Array): Promise<Buffer> {
	const [answer] = await Promise.all([buffer(stream as Readable), pipeline([data], stream as Writable, { end: true })]);
	return answer;
}

for (const transport of TRANSPORTS) {
	test(`port-forward over ${transport}: connections side by side, half-close, 8 MB each way`, (t) =>
		withPods(async ({ url, open }, { echo }) => {
			const forwarder = await connectPortForward({ url }, transport, never);
			const answers = await Promise.all([1, 2].map(async () => exchange(await forwarder.open(echo), EIGHT_MB)));
			for (const answer of answers) t.is(hash(answer), hash(EIGHT_MB));
			t.is((await exchange(await forwarder.open(echo), Buffer.from('again'))).toString(), 'again');
			forwarder.close();
			await until(() => open() === 0);
		}));

	test(`port-forward over ${transport}: a port nobody listens on fails alone`, (t) =>
		withPods(async ({ url }, { echo, closed }) => {
			const forwarder = await connectPortForward({ url }, transport, never);
			await t.throwsAsync(async () => buffer(await forwarder.open(closed)), { message: /ECONNREFUSED/ });
			t.is((await exchange(await forwarder.open(echo), Buffer.from('fine'))).toString(), 'fine');
			forwarder.close();
		}));

	test(`port-forward over ${transport}: one that reads nothing does not hold up another`, (t) =>
		withPods(async ({ url }, { echo, mute }) => {
			const forwarder = await connectPortForward({ url }, transport, never);
			const stuck = await forwarder.open(mute);
			stuck.on('error', () => {});
			stuck.write(EIGHT_MB.subarray(0, 512 << 10));
			t.is((await exchange(await forwarder.open(echo), Buffer.from('fine'))).toString(), 'fine');
			forwarder.close();
		}));
}
