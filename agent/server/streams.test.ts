/** WebSockets of every kind before a runtime that speaks SPDY alone. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, type Duplex, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { realClock } from '../../base/clock.ts';
import { acceptCommand, acceptPortForward } from '../../wire/remotecommand/accept.ts';
import { connectCommand } from '../../wire/remotecommand/connect.ts';
import { connectPortForward } from '../../wire/remotecommand/port-forward-client.ts';
import { servePortForward } from '../../wire/remotecommand/port-forward.ts';
import type { CommandWants } from '../../wire/remotecommand/session.ts';
import { carryStream } from './streams.ts';

const WANTS: CommandWants = { stdin: true, stdout: true, stderr: true, tty: false };
const IDLE = { clock: realClock, idleMs: 60_000 };
const never = new AbortController().signal;

type Serve = (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<unknown>;

async function serving(t: ExecutionContext, serve: Serve) {
	const sockets = new Set<Duplex>();
	const server = createServer();
	server.on('upgrade', (request, socket, head) => {
		sockets.add(socket);
		socket.on('error', () => {}).once('close', () => sockets.delete(socket));
		serve(request, socket, head).catch(() => socket.destroy());
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	t.teardown(() => {
		for (const socket of sockets) socket.destroy();
		server.close();
	});
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, open: () => sockets.size };
}

/** The kubelet's address, and how many connections there are; aborting `stop` ends the kubelet. */
async function scene(t: ExecutionContext, stop = new AbortController()) {
	const runtime = await serving(t, async (request, socket, head) => {
		// As golang.org/x/net/websocket refuses what it does not know.
		if (request.headers.upgrade !== 'SPDY/3.1') return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
		if (request.url?.startsWith('/portForward') === true) {
			const accepted = await acceptPortForward(request, socket, head);
			return accepted.type === 'spdy' && servePortForward(accepted.stream, accepted.head, async () => new PassThrough());
		}
		const session = await acceptCommand(request, socket, head, WANTS, realClock);
		session.stdout?.write(await text(session.stdin as Readable));
		return session.finish({ type: 'exit', code: 3 });
	});
	const kubelet = await serving(t, async (request, socket, head) => {
		const path = request.url ?? '';
		const asking = { request, socket, head, path, wants: WANTS };
		const refused = await carryStream(asking, `${runtime.url}${path}`, IDLE, stop.signal);
		if (refused !== undefined) socket.end(`HTTP/1.1 ${refused.status} Refused\r\nContent-Length: 0\r\n\r\n`);
	});
	return { url: new URL(kubelet.url), open: () => kubelet.open() + runtime.open() };
}

async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

for (const transport of ['websocket', 'spdy'] as const) {
	test(`a command over ${transport}`, async (t) => {
		const { url, open } = await scene(t);
		const remote = await connectCommand({ url: new URL('/exec/n/p/c', url) }, WANTS, transport, never);
		remote.stdin?.end('hello');
		t.is(await text(remote.stdout as Readable), 'hello');
		t.deepEqual(await remote.ended, { type: 'exit', code: 3 });
		remote.close();
		await until(() => open() === 0);
	});

	test(`port-forward over ${transport}`, async (t) => {
		const { url, open } = await scene(t);
		const forward = await connectPortForward({ url: new URL('/portForward/n/p', url) }, transport, never);
		const connection = await forward.open(80);
		connection.end('hello');
		t.is(await text(connection), 'hello');
		forward.close();
		await until(() => open() === 0);
	});
}

for (const path of ['/exec/n/p/c', '/portForward/n/p'])
	test(`an agent that stops ends what it carries: ${path}`, async (t) => {
		const stop = new AbortController();
		const { url, open } = await scene(t, stop);
		const target = { url: new URL(path, url) };
		const closed = path.startsWith('/exec')
			? (await connectCommand(target, WANTS, 'websocket', never)).ended
			: (await connectPortForward(target, 'websocket', never)).closed;
		await until(() => open() === 2);
		stop.abort();
		await closed;
		await until(() => open() === 0);
		t.pass();
	});
