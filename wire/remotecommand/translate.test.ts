/** A client's WebSocket in front, a server that speaks SPDY behind, and what comes of both. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import test from 'ava';
import { realClock, type Clock } from '../../base/clock.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { dialUpgrade } from '../upgrade/dial.ts';
import { dialWebSocket } from '../websocket/dial.ts';
import { acceptCommand } from './accept.ts';
import { sendChannel } from './channels.ts';
import { connectCommand } from './connect.ts';
import { SPDY_COMMAND, type CommandEnd, type CommandSession, type CommandWants } from './session.ts';
import { toldEnd, translateCommand } from './translate.ts';

const ALL: CommandWants = { stdin: true, stdout: true, stderr: true, tty: false };
const never = new AbortController().signal;
const exit = (code: number): CommandEnd => ({ type: 'exit', code });
const EIGHT_MB = randomBytes(8 << 20);
const hash = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');

interface Scene {
	readonly url: URL;
	/** Connections that are open, of both servers. */
	readonly open: () => number;
	readonly ends: CommandEnd[];
	/** Cuts what is behind. */
	cut(): void;
}

type Run = (session: CommandSession) => Promise<CommandEnd>;

async function served(onUpgrade: (request: import('node:http').IncomingMessage, socket: Duplex, head: Buffer) => Promise<unknown>) {
	const server = createServer();
	const sockets = new Set<Duplex>();
	server.on('upgrade', (request, socket, head) => {
		sockets.add(socket);
		socket.on('error', () => {});
		socket.once('close', () => sockets.delete(socket));
		onUpgrade(request, socket, head).catch(() => socket.destroy());
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/exec`);
	return { url, sockets, close: () => server.close() };
}

async function withScene(
	wants: CommandWants,
	run: Run,
	check: (scene: Scene) => Promise<void>,
	{ clock = realClock, protocols = SPDY_COMMAND as readonly string[] }: { clock?: Clock; protocols?: readonly string[] } = {},
): Promise<void> {
	const ends: CommandEnd[] = [];
	const behind = await served(async (request, socket, head) => {
		const session = await acceptCommand(request, socket, head, wants, realClock);
		await session.finish(await run(session));
	});
	const front = await served((handshake, socket, head) =>
		translateCommand({ handshake, socket, head }, wants, {
			clock,
			async behind(signal) {
				const headers = { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': [...protocols] };
				const upgraded = await dialUpgrade({ url: behind.url }, 'POST', headers, signal);
				return { ...upgraded, protocol: String(upgraded.headers['x-stream-protocol-version']) };
			},
			ended: (end) => void ends.push(end),
		}),
	);
	const cut = (): void => behind.sockets.forEach((socket) => socket.destroy());
	const open = (): number => front.sockets.size + behind.sockets.size;
	try {
		await check({ url: front.url, open, ends, cut });
	} finally {
		for (const socket of [...front.sockets, ...behind.sockets]) socket.destroy();
		front.close();
		behind.close();
	}
}

async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

async function cat({ stdin, stdout }: CommandSession): Promise<CommandEnd> {
	for await (const chunk of stdin as Readable) if (stdout?.write(chunk) === false) await once(stdout, 'drain');
	return exit(0);
}

test('8 MB go in and out at once, the end of input is told, and nothing is left open', (t) =>
	withScene(ALL, cat, async ({ url, open, ends }) => {
		const remote = await connectCommand({ url }, ALL, 'websocket', never);
		const out = buffer(remote.stdout as Readable);
		remote.stdin?.end(EIGHT_MB);
		t.is(hash(await out), hash(EIGHT_MB));
		t.deepEqual(await remote.ended, exit(0));
		await until(() => open() === 0);
		t.deepEqual(ends, [exit(0)]);
	}));

test('many at once', (t) =>
	withScene(ALL, cat, async ({ url, open }) => {
		const said = await Promise.all(
			Array.from({ length: 20 }, async (_, i) => {
				const remote = await connectCommand({ url }, ALL, 'websocket', never);
				remote.stdin?.end(`${i}`);
				return text(remote.stdout as Readable);
			}),
		);
		t.deepEqual(said, [...said.keys()].map(String));
		await until(() => open() === 0);
	}));

test('output and errors apart; sizes of the terminal, cut anywhere', (t) => {
	const TTY = { ...ALL, tty: true };
	const sizes: string[] = [];
	return withScene(
		TTY,
		async (session) => {
			await new Promise<void>((resolve) =>
				session.onResize(({ width, height }) => {
					sizes.push(`${width}x${height}`);
					if (width === 3) resolve();
				}),
			);
			session.stdout?.write('out');
			return exit(4);
		},
		async ({ url }) => {
			const { socket } = await dialWebSocket({ url }, ['v5.channel.k8s.io'], never);
			const said: string[] = [];
			socket.on('message', (data: Buffer) => said.push(data.toString('latin1')));
			socket.resume();
			for (const piece of ['{"Width":1,"Height":9}{"Wid', 'th":2}', '{"Width":3,"Height":7}'])
				await sendChannel(socket, 4, Buffer.from(piece));
			await once(socket, 'close');
			t.deepEqual(sizes.slice(-1), ['3x7']);
			t.deepEqual(said, [
				'\x01',
				'\x01out',
				'\x03{"metadata":{},"status":"Failure","message":"command terminated with non-zero exit code: command terminated with exit code 4","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"4"}]}}',
			]);
		},
	);
});

test('a client that leaves ends the connection behind, after what it said', (t) => {
	const heard = Promise.withResolvers<string>();
	return withScene(
		ALL,
		async ({ stdin, closed }) => {
			heard.resolve(await text(stdin as Readable));
			await closed;
			return exit(0);
		},
		async ({ url, open }) => {
			const remote = await connectCommand({ url }, ALL, 'websocket', never);
			await new Promise((resolve) => remote.stdin?.write('last words', resolve));
			remote.close();
			t.is(await heard.promise, 'last words');
			await until(() => open() === 0);
		},
	);
});

test('what takes no notice of a client that left is cut off', (t) => {
	const clock = new VirtualClock();
	return withScene(
		ALL,
		() => new Promise(() => {}),
		async ({ url, open }) => {
			const remote = await connectCommand({ url }, ALL, 'websocket', never);
			remote.stdin?.write(Buffer.alloc(16 << 20));
			remote.close();
			const passing = setInterval(() => void clock.advance(1000), 1);
			await until(() => open() === 0).finally(() => clearInterval(passing));
			t.pass();
		},
		{ clock },
	);
});

test('a connection that is lost is a failure', (t) =>
	withScene(
		ALL,
		async ({ stdout }) => {
			stdout?.write('partial');
			return new Promise(() => {});
		},
		async ({ url, open, cut }) => {
			const remote = await connectCommand({ url }, ALL, 'websocket', never);
			await once(remote.stdout as Readable, 'data');
			cut();
			t.deepEqual(await remote.ended, { type: 'error', message: 'Internal error occurred: the connection was lost' });
			await until(() => open() === 0);
		},
	));

for (const [protocol, end, want] of [
	['v4.channel.k8s.io', exit(3), exit(3)],
	['v4.channel.k8s.io', { type: 'error', message: 'no' }, { type: 'error', message: 'Internal error occurred: no' }],
	['v2.channel.k8s.io', exit(0), exit(0)],
	[
		'v2.channel.k8s.io',
		exit(3),
		{
			type: 'error',
			message: 'Internal error occurred: error executing remote command: command terminated with non-zero exit code: exit status 3',
		},
	],
] as const satisfies (readonly [string, CommandEnd, CommandEnd])[])
	test(`behind speaks ${protocol}: ${JSON.stringify(end)}`, (t) =>
		withScene(
			ALL,
			async () => end,
			async ({ url }) => {
				const remote = await connectCommand({ url }, ALL, 'websocket', never);
				t.deepEqual(await remote.ended, want);
			},
			{ protocols: [protocol] },
		));

test('what keeps the server behind from serving is told inside of the stream', async (t) => {
	const front = await served((handshake, socket, head) =>
		translateCommand({ handshake, socket, head }, ALL, { clock: realClock, behind: () => Promise.reject(new Error('nobody is there')) }),
	);
	const remote = await connectCommand({ url: front.url }, ALL, 'websocket', never);
	t.deepEqual(await remote.ended, { type: 'error', message: 'Internal error occurred: nobody is there' });
	await until(() => front.sockets.size === 0);
	front.close();
});

for (const body of [[], [9], [0, 0]])
	test(`a close signal of [${body.join()}] ends the connection`, (t) =>
		withScene(ALL, cat, async ({ url, open }) => {
			const { socket } = await dialWebSocket({ url }, ['v5.channel.k8s.io'], never);
			socket.resume();
			await sendChannel(socket, 255, Buffer.from(body));
			const [code] = (await once(socket, 'close')) as [number];
			t.is(code, 1000);
			await until(() => open() === 0);
		}));

test('toldEnd()', (t) => {
	t.deepEqual(toldEnd(exit(2)), { ...exit(2), why: 'command terminated with exit code 2' });
	t.deepEqual(toldEnd({ type: 'error', message: 'x' }), { type: 'error', message: 'Internal error occurred: x', cause: 'x' });
});
