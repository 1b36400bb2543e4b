import { once } from 'node:events';
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { realClock } from '../../../base/clock.ts';
import { readText } from '../../../base/lines.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { eventually } from '../../../test/tools/eventually.ts';
import { createAuthority, issue } from '../../../wire/tls/authority.ts';
import { Closing } from '../closing.ts';
import type { ApiRequest } from '../contracts.ts';
import { IDLE_MS } from './idle-sessions.ts';
import { serveTls } from './server.ts';

const authority = await createAuthority({ commonName: 'ca', days: 10 }, realClock);
const leaf = { commonName: 'server', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'], usages: ['server'], days: 10 } as const;
const { certPem: cert, keyPem: key } = await issue(authority, leaf, realClock);
const ca = authority.certPem;

interface Running {
	readonly clock: VirtualClock;
	readonly port: number;
	/** Answers whoever asked for "/held". */
	release(): void;
}

async function running(t: ExecutionContext): Promise<Running> {
	const clock = new VirtualClock();
	const held = Promise.withResolvers<void>();
	const pipeline = {
		metrics: { handshakeErrors: { inc: () => {} } },
		serve: async ({ path }: ApiRequest) => {
			if (path === '/held') await held.promise;
			const response = { type: 'bytes', status: 200, headers: {}, body: Buffer.from(path) };
			return { response, auditId: '', flow: undefined, finished: undefined };
		},
	};
	const options = { host: '127.0.0.1', port: 0, certificate: () => ({ cert, key }), clientCa: ca };
	const { port, close } = await serveTls(options, pipeline as never, {} as never, { clock, log: noLog, closing: new Closing() });
	t.teardown(async () => {
		const closed = close();
		await clock.advance(1000);
		await closed;
	});
	return { clock, port, release: () => held.resolve() };
}

async function sessionTo(t: ExecutionContext, { port }: Running): Promise<ClientHttp2Session> {
	const session = connect(`https://127.0.0.1:${port}`, { ca });
	t.teardown(() => session.destroy());
	// Its settings say that the server has a session, too.
	await once(session, 'remoteSettings');
	return session;
}

const ask = (session: ClientHttp2Session, path: string): ClientHttp2Stream => session.request({ ':path': path });

/** Answered on both sides: a ping comes back after the server has seen the stream's end. */
async function asked(session: ClientHttp2Session, path: string): Promise<void> {
	await readText(ask(session, path));
	await pinged(session);
}

async function pinged(session: ClientHttp2Session): Promise<void> {
	await new Promise<void>((resolve, reject) => void session.ping((error) => (error === null ? resolve() : reject(error))));
}

test('a session over which nothing is asked for 90 seconds is told to go, and ends', async (t) => {
	const server = await running(t);
	const session = await sessionTo(t, server);
	const goaway = once(session, 'goaway');
	const closed = once(session, 'close');
	await server.clock.advance(IDLE_MS - 1);
	t.false(session.closed);
	await server.clock.advance(1);
	t.is((await goaway)[0], 0);
	await closed;
	await eventually('no timer is left', async () => server.clock.pending === 0);
});

test('a session is idle from the end of its last stream on, and has one timer whatever is asked', async (t) => {
	const server = await running(t);
	const session = await sessionTo(t, server);
	const { pending } = server.clock;
	for (let i = 0; i < 3; i++) {
		await server.clock.advance(IDLE_MS - 1);
		await asked(session, '/');
		t.is(server.clock.pending, pending);
	}
	const held = ask(session, '/held');
	await pinged(session);
	await server.clock.advance(10 * IDLE_MS);
	t.false(session.closed);
	server.release();
	t.is(await readText(held), '/held');
	await pinged(session);
	await server.clock.advance(IDLE_MS - 1);
	t.false(session.closed);
	const closed = once(session, 'close');
	await server.clock.advance(1);
	await closed;
});

test('a session that its client ends leaves no timer', async (t) => {
	const server = await running(t);
	const session = await sessionTo(t, server);
	const held = ask(session, '/held').on('error', () => {});
	await pinged(session);
	held.close(8);
	session.destroy();
	await eventually('no timer is left', async () => server.clock.pending === 0);
	t.pass();
});

test('a client that does not end its side is not waited for longer than a second', async (t) => {
	const server = await running(t);
	const tcp = connectTcp({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
	const socket = connectTls({ socket: tcp, ca, ALPNProtocols: ['h2'], servername: 'localhost' });
	const gone = Promise.withResolvers<void>();
	for (const one of [tcp, socket]) one.on('error', () => gone.resolve()).on('close', () => gone.resolve());
	t.teardown(() => tcp.destroy());
	// It says what a client begins with, and reads nothing more.
	socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])]));
	await once(socket, 'readable');
	tcp.pause();
	const { pending } = server.clock;
	t.true(pending > 0);
	await server.clock.advance(IDLE_MS);
	await server.clock.advance(1000);
	// Whoever writes to what the other side has destroyed hears of it.
	await eventually('the connection is gone', async () => {
		tcp.write('x');
		tcp.resume();
		return Promise.race([gone.promise.then(() => true), realClock.sleep(5).then(() => false)]);
	});
	await eventually('no timer is left', async () => server.clock.pending === 0);
});
