import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createAuthority, issue } from '../../wire/tls/authority.ts';
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
	/** A client that says nothing until it is told to. */
	silent(): Promise<Socket>;
	client(): TLSSocket;
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
	const keep = <T extends Socket>(socket: T): T => {
		clients.push(socket.on('error', () => {}));
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
		async silent() {
			const socket = keep(connectTcp(port, '127.0.0.1'));
			await once(socket, 'connect');
			return socket;
		},
		client: () => keep(connectTls({ host: '127.0.0.1', port, ca: authority.certPem })),
		async [Symbol.asyncDispose]() {
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

/** Until nothing moves any more on sockets whose both ends are in this process. */
async function settled(): Promise<void> {
	for (let i = 0; i < 200; i++) await new Promise((resolve) => setImmediate(resolve));
}

test('clients that say nothing hold up one that does for no longer than they are waited for', async (t) => {
	await using server = await running();
	for (let i = 0; i < 3 * AT_ONCE; i++) await server.silent();
	const client = server.client();
	let secure = false;
	const done = once(client, 'secureConnect').then(() => (secure = true));
	await settled();
	t.false(secure);
	await server.clock.advance(3 * PATIENCE_MS);
	await done;
	await settled();
	t.is(server.connected, 1);
	t.is(server.clock.pending, 0);
});

test('however many say nothing, nobody waits for more than a fixed time', async (t) => {
	await using server = await running();
	const silent = 2 * SHARE * AT_ONCE;
	await Promise.all(Array.from({ length: silent }, () => server.silent()));
	const client = server.client();
	const done = once(client, 'secureConnect');
	await settled();
	t.is(server.connected, 0);
	await server.clock.advance(SHARE * PATIENCE_MS);
	await done;
	t.is(server.connected, 1);
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
	await settled();
	t.deepEqual([...answered], slow.slice(0, AT_ONCE));
	const [leaving] = slow;
	leaving?.destroy();
	await settled();
	t.is(answered.size, AT_ONCE + 1);
	await server.clock.advance(PATIENCE_MS);
	await settled();
	t.is(answered.size, 2 * AT_ONCE + 1);
	await server.clock.advance(PATIENCE_MS);
	await settled();
	t.is(answered.size, 3 * AT_ONCE);
});

test('what is no handshake fails and makes room at once', async (t) => {
	await using server = await running();
	const wrong = await Promise.all(Array.from({ length: 2 * AT_ONCE }, () => server.silent()));
	for (const socket of wrong) socket.resume().write('GET / HTTP/1.1\r\n\r\n');
	await Promise.all(wrong.map((socket) => once(socket, 'close')));
	await once(server.client(), 'secureConnect');
	t.is(server.failed, 2 * AT_ONCE);
});

test('a flood is shaken hands with without any time passing, and nothing is left of it', async (t) => {
	await using server = await running();
	const clients = Array.from({ length: 100 }, () => server.client());
	await Promise.all(clients.map((client) => once(client, 'secureConnect')));
	await settled();
	t.is(server.connected, 100);
	t.is(server.clock.pending, 0);
});
