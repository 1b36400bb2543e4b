import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { realClock } from '../../../base/clock.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { eventually } from '../../../test/tools/eventually.ts';
import { createAuthority, issue } from '../../../wire/tls/authority.ts';
import { HANDSHAKE_PATIENCE_MS as PATIENCE_MS, HANDSHAKES_SHARE as SHARE, HANDSHAKES_UNDER_WAY as AT_ONCE } from './handshakes.ts';
import { TlsListener } from './tls-listener.ts';

const authority = await createAuthority({ commonName: 'ca', days: 10 }, realClock);
const leaf = { commonName: 'server', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'], usages: ['server'], days: 10 } as const;
const { certPem: cert, keyPem: key } = await issue(authority, leaf, realClock);

interface Running extends AsyncDisposable {
	readonly clock: VirtualClock;
	readonly port: number;
	readonly connected: number;
	readonly failed: number;
	/** A client that says nothing until it is told to; the server has it. */
	silent(): Promise<Socket>;
	/** One that shakes hands; resolves once the server has it. */
	client(): Promise<TLSSocket>;
}

async function running(): Promise<Running> {
	const clock = new VirtualClock();
	let [connected, failed] = [0, 0];
	const listener = new TlsListener(
		{ certificate: () => ({ cert, key }), clientCa: authority.certPem },
		{
			connected: (socket) => {
				connected++;
				socket.on('error', () => {}).resume();
			},
			failed: () => void failed++,
			unusable: () => {},
		},
		clock,
	);
	await listener.listen(0, '127.0.0.1');
	const { port } = listener;
	const clients: Socket[] = [];
	/** By the port of the client's end. */
	const accepted = new Map<number, PromiseWithResolvers<void>>();
	const acceptedFrom = (from = 0): PromiseWithResolvers<void> => {
		const known = accepted.get(from) ?? Promise.withResolvers<void>();
		accepted.set(from, known);
		return known;
	};
	const accept = (message: unknown): void => {
		const { socket } = message as { readonly socket: Socket };
		if (socket.localPort === port) acceptedFrom(socket.remotePort).resolve();
	};
	subscribe('net.server.socket', accept);
	const kept = async <T extends Socket>(socket: T): Promise<T> => {
		clients.push(socket.on('error', () => {}));
		await once(socket, 'connect');
		await acceptedFrom(socket.localPort).promise;
		return socket;
	};
	return {
		clock,
		port,
		get connected() {
			return connected;
		},
		get failed() {
			return failed;
		},
		silent: () => kept(connectTcp(port, '127.0.0.1')),
		client: () => kept(connectTls({ host: '127.0.0.1', port, ca: authority.certPem })),
		async [Symbol.asyncDispose]() {
			unsubscribe('net.server.socket', accept);
			for (const socket of clients) socket.destroy();
			await listener.close();
		},
	};
}

/** What a client says first: to a server that never answers. */
async function clientHello(): Promise<Buffer> {
	const { promise, resolve } = Promise.withResolvers<Buffer>();
	const wire = new Duplex({ read() {}, write: (chunk: Buffer) => resolve(chunk) });
	const client = connectTls({ socket: wire, ca: authority.certPem }).on('error', () => {});
	const hello = await promise;
	client.destroy();
	return hello;
}

/** So many and no more, as far as is seen: a machine that is busy brings what was sent a while later. */
async function becomes(t: ExecutionContext, what: string, count: () => number, want: number): Promise<void> {
	await eventually(
		() => `${what}: ${want}, not ${count()}`,
		async () => count() >= want,
	);
	for (let i = 0; i < 200; i++) await new Promise((resolve) => setImmediate(resolve));
	t.is(count(), want, what);
}

test('clients that say nothing hold up one that does for no longer than they are waited for', async (t) => {
	await using server = await running();
	for (let i = 0; i < 3 * AT_ONCE; i++) await server.silent();
	const client = await server.client();
	const done = once(client, 'secureConnect');
	await becomes(t, 'connected', () => server.connected, 0);
	await server.clock.advance(3 * PATIENCE_MS);
	await done;
	await becomes(t, 'connected', () => server.connected, 1);
	t.is(server.clock.pending, 0);
});

test('however many say nothing, nobody waits for more than a fixed time', async (t) => {
	await using server = await running();
	const silent = 2 * SHARE * AT_ONCE;
	await Promise.all(Array.from({ length: silent }, () => server.silent()));
	const client = await server.client();
	const done = once(client, 'secureConnect');
	await becomes(t, 'connected', () => server.connected, 0);
	await server.clock.advance(SHARE * PATIENCE_MS);
	await done;
	await becomes(t, 'connected', () => server.connected, 1);
});

test('of clients that stop in the middle a few are answered at a time; one that leaves makes room at once', async (t) => {
	await using server = await running();
	const hello = await clientHello();
	const answered = new Set<Socket>();
	const slow: Socket[] = [];
	for (let i = 0; i < 3 * AT_ONCE; i++) {
		const socket = await server.silent();
		socket.once('data', () => answered.add(socket));
		socket.write(hello);
		slow.push(socket);
	}
	const size = (): number => answered.size;
	await becomes(t, 'answered', size, AT_ONCE);
	t.deepEqual(
		slow.filter((socket) => answered.has(socket)),
		slow.slice(0, AT_ONCE),
	);
	const [leaving] = slow;
	leaving?.destroy();
	await becomes(t, 'answered', size, AT_ONCE + 1);
	await server.clock.advance(PATIENCE_MS);
	await becomes(t, 'answered', size, 2 * AT_ONCE + 1);
	await server.clock.advance(PATIENCE_MS);
	await becomes(t, 'answered', size, 3 * AT_ONCE);
});

test('what is no handshake fails and makes room at once', async (t) => {
	await using server = await running();
	const wrong = await Promise.all(Array.from({ length: 2 * AT_ONCE }, () => server.silent()));
	for (const socket of wrong) socket.resume().write('GET / HTTP/1.1\r\n\r\n');
	await Promise.all(wrong.map((socket) => once(socket, 'close')));
	await becomes(t, 'failed', () => server.failed, 2 * AT_ONCE);
	await server.client();
	await becomes(t, 'connected', () => server.connected, 1);
	t.is(server.failed, 2 * AT_ONCE);
});

test('a flood is shaken hands with without any time passing, and nothing is left of it', async (t) => {
	await using server = await running();
	await Promise.all(Array.from({ length: 100 }, () => server.client()));
	await becomes(t, 'connected', () => server.connected, 100);
	t.is(server.clock.pending, 0);
});
