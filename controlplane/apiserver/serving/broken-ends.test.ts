/** How requests and answers end where one of their two ends breaks, over real sockets of both HTTP versions. */
import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, constants, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { Readable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { realClock } from '../../../base/clock.ts';
import { readText } from '../../../base/lines.ts';
import { noLog } from '../../../base/log.ts';
import { createAuthority, issue } from '../../../wire/tls/authority.ts';
import { WholeBody } from '../answer/pushed-body.ts';
import { Closing } from '../closing.ts';
import type { ApiRequest, ApiResponse } from '../contracts.ts';
import { serveTls } from './server.ts';

const authority = await createAuthority({ commonName: 'ca', days: 10 }, realClock);
const leaf = { commonName: 'server', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'], usages: ['server'], days: 10 } as const;
const { certPem: cert, keyPem: key } = await issue(authority, leaf, realClock);

interface Served {
	readonly port: number;
	/** The path of the first answer that is over. */
	readonly over: Promise<string>;
	/** One connection of HTTP/2. */
	readonly session: ClientHttp2Session;
	/** All that comes over a connection of HTTP/1.1 until it ends. */
	http1(path: string, headers?: string): Promise<string>;
}

async function served(t: ExecutionContext, answer: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>): Promise<Served> {
	const over = Promise.withResolvers<string>();
	const pipeline = {
		metrics: { handshakeErrors: { inc: () => {} } },
		mayUpgrade: () => true,
		serve: async (request: ApiRequest) => {
			const response = await answer(request);
			return { response, auditId: 'id', flow: undefined, finished: () => over.resolve(request.path) };
		},
	};
	const options = { host: '127.0.0.1', port: 0, certificate: () => ({ cert, key }), clientCa: authority.certPem };
	const deps = { clock: realClock, log: noLog, closing: new Closing() };
	const { port, close } = await serveTls(options, pipeline as never, {} as never, deps);
	const session = connect(`https://127.0.0.1:${port}`, { ca: authority.certPem });
	t.teardown(async () => {
		session.destroy();
		await close();
	});
	return {
		...{ port, over: over.promise, session },
		http1(path, headers = '') {
			const socket = connectTls({ port, host: '127.0.0.1', ca: authority.certPem, ALPNProtocols: ['http/1.1'] });
			socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n${headers}\r\n`);
			return readText(socket);
		},
	};
}

async function* breaking(): AsyncGenerator<Uint8Array, void, undefined> {
	yield Buffer.from('half');
	throw new Error('the source broke');
}

test('HTTP/2: an answer whose source breaks is reset, not left open', async (t) => {
	const server = await served(t, () => ({ type: 'stream', status: 200, headers: {}, body: breaking() }));
	const stream = server.session.request({ ':path': '/' });
	await t.throwsAsync(readText(stream), { code: 'ERR_HTTP2_STREAM_ERROR' });
	t.is(stream.rstCode, 2);
	t.is(await server.over, '/');
});

test('HTTP/1.1: an answer whose source breaks ends with its connection, without the last chunk', async (t) => {
	const server = await served(t, () => ({ type: 'stream', status: 200, headers: {}, body: breaking() }));
	const text = await server.http1('/');
	t.regex(text, /^HTTP\/1\.1 200 /);
	t.notRegex(text, /\r\n0\r\n\r\n$/);
	t.is(await server.over, '/');
});

test('HTTP/1.1: a socket that was taken ends where its taker fails, without a second answer', async (t) => {
	const server = await served(t, ({ upgrade }) => {
		upgrade?.().socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
		return { type: 'bytes', status: 500, headers: {}, body: Buffer.from('the taker failed') };
	});
	t.regex(await server.http1('/', 'connection: upgrade\r\nupgrade: any\r\n'), /^(HTTP\/1\.1 101 Switching Protocols\r\n\r\n)?$/);
	t.is(await server.over, '/');
});

test('HTTP/2: an answer that cannot be sent is reset, and its source is told', async (t) => {
	let left = false;
	const body = {
		[Symbol.asyncIterator]: () => ({
			next: () => new Promise<never>(() => {}),
			return: async () => ((left = true), { done: true as const, value: undefined }),
		}),
	};
	const server = await served(t, () => ({ type: 'stream', status: 200, headers: { 'http2-settings': 'a' }, body }));
	const stream = server.session.request({ ':path': '/' });
	await t.throwsAsync(readText(stream), { code: 'ERR_HTTP2_STREAM_ERROR' });
	t.true(left);
	t.is(await server.over, '/');
});

/** An answer that waits, and whether the request's client was known to be gone when it had waited. */
function waiting(): {
	readonly came: Promise<void>;
	readonly isAborted: Promise<boolean>;
	go(): void;
	answer(request: ApiRequest): Promise<ApiResponse>;
} {
	const [came, gone, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<boolean>()];
	return {
		came: came.promise,
		isAborted: told.promise,
		go: gone.resolve,
		async answer(request) {
			came.resolve();
			await gone.promise;
			told.resolve(request.signal.aborted);
			return { type: 'bytes', status: 200, headers: {}, body: Buffer.from('') };
		},
	};
}

/** With which clients leave: some say that nothing was wrong. */
const { NGHTTP2_CANCEL: CANCEL, NGHTTP2_NO_ERROR: NO_ERROR } = constants;

/** A request whose client leaves before its answer; the server knows. */
async function left({ session }: Served, came: Promise<void>, code = CANCEL): Promise<void> {
	const stream = session.request({ ':path': '/' }).on('error', () => {});
	await came;
	stream.close(code);
	await once(stream, 'close');
	// An answer to a ping says that the server has read all that came before.
	await new Promise((resolve) => session.ping(resolve));
}

for (const code of [CANCEL, NO_ERROR]) {
	test(`HTTP/2: who asks for the signal of a request whose client has left (code ${code}) finds it aborted`, async (t) => {
		const { came, isAborted, go, answer } = waiting();
		await left(await served(t, answer), came, code);
		go();
		t.true(await isAborted);
	});

	test(`HTTP/2: an answer that its client does not read is over once that has left (code ${code})`, async (t) => {
		const body = new WholeBody<Uint8Array>(Buffer.alloc(5_000_000));
		const server = await served(t, () => ({ type: 'stream', status: 200, headers: {}, body }));
		const stream = server.session.request({ ':path': '/' }).on('error', () => {});
		await once(stream, 'response');
		stream.close(code);
		t.is(await server.over, '/');
	});

	test(`HTTP/2: an answer without an end is over once its client has left (code ${code})`, async (t) => {
		const body = new Readable({ read() {} });
		const closed = once(body, 'close');
		const server = await served(t, () => ({ type: 'stream', status: 200, headers: {}, body }));
		const stream = server.session.request({ ':path': '/' }).on('error', () => {});
		await once(stream, 'response');
		stream.close(code);
		await closed;
		t.is(await server.over, '/');
	});
}

test('HTTP/1.1: who asks for the signal of a request whose client has left finds it aborted', async (t) => {
	const { came, isAborted, go, answer } = waiting();
	const { port } = await served(t, answer);
	const arrived = channel('http.server.request.start');
	const seen = Promise.withResolvers<ServerResponse>();
	const see = (message: unknown): void => {
		const { request, response } = message as { readonly request: { readonly url: string }; readonly response: ServerResponse };
		if (request.url === '/leaving') seen.resolve(response);
	};
	arrived.subscribe(see);
	t.teardown(() => arrived.unsubscribe(see));
	const socket = connectTls({ port, host: '127.0.0.1', ca: authority.certPem, ALPNProtocols: ['http/1.1'] });
	socket.write('GET /leaving HTTP/1.1\r\nhost: a\r\n\r\n');
	await came;
	const closed = once(await seen.promise, 'close');
	socket.destroy();
	await closed;
	go();
	t.true(await isAborted);
});

test('an answer that nobody waits for any more lets go of its source, though that was never read', async (t) => {
	const { came, go, answer } = waiting();
	const body = new Readable({ read() {} });
	const closed = once(body, 'close');
	const server = await served(t, async (request) => {
		await answer(request);
		return { type: 'stream', status: 200, headers: {}, body };
	});
	await left(server, came);
	go();
	await closed;
	t.true(body.destroyed);
});

for (const version of ['1.1', '2'])
	test(`HTTP/${version}: warnings in any script arrive as UTF-8`, async (t) => {
		const server = await served(t, (request) => {
			request.warn('größer ✓');
			return { type: 'bytes', status: 200, headers: {}, body: Buffer.from('ok') };
		});
		if (version === '2') {
			const stream = server.session.request({ ':path': '/' });
			const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
			t.is(Buffer.from(String(headers['warning']), 'latin1').toString(), '299 - "größer ✓"');
		} else {
			const socket = connectTls({ port: server.port, host: '127.0.0.1', ca: authority.certPem, ALPNProtocols: ['http/1.1'] });
			socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
			t.true((await readText(socket)).includes('\r\nwarning: 299 - "größer ✓"\r\n'));
		}
	});
