import { channel } from 'node:diagnostics_channel';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { readFile } from 'node:fs/promises';
import { connect, createServer, sensitiveHeaders, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { connect as connectTcp, type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import test from 'ava';
import { realClock, type Clock } from '../../../base/clock.ts';
import { readText } from '../../../base/lines.ts';
import { noLog } from '../../../base/log.ts';
import { createAuthority, issue } from '../../../wire/tls/authority.ts';
import { eventually } from '../../../test/tools/eventually.ts';
import type { ApiRequest } from '../contracts.ts';
import { Http2Request } from './http-requests.ts';
import { Closing } from '../closing.ts';
import { serveTls } from './server.ts';

/** By this clock no turn is young until it is told to go: whoever comes waits. */
function haltedClock(): { readonly clock: Clock; go(): void } {
	let halted = true;
	const monotonic = (): number => (halted ? Number.NaN : realClock.monotonic());
	return {
		clock: Object.assign(Object.create(realClock) as Clock, { monotonic, after: realClock.after.bind(realClock) }),
		go: () => void (halted = false),
	};
}

const authority = await createAuthority({ commonName: 'ca', days: 10 }, realClock);
const leaf = { commonName: 'server', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'], usages: ['server'], days: 10 } as const;
const { certPem: cert, keyPem: key } = await issue(authority, leaf, realClock);

async function running(
	certificate = () => ({ cert, key }),
	goAwayChance = 0,
): Promise<{ readonly served: readonly string[]; readonly port: number; go(): void; retire(): void; close(): Promise<void> }> {
	const served: string[] = [];
	const { clock, go } = haltedClock();
	const pipeline = {
		metrics: { handshakeErrors: { inc: () => {} } },
		serve: async ({ path }: ApiRequest) => {
			served.push(path);
			return {
				response: { type: 'bytes', status: 200, headers: {}, body: Buffer.from(path) },
				auditId: '',
				flow: undefined,
				finished: undefined,
			};
		},
	};
	const options = { host: '127.0.0.1', port: 0, certificate, clientCa: authority.certPem };
	const deps = { clock, log: noLog, closing: new Closing(), goAwayChance };
	const { port, retire, close } = await serveTls(options, pipeline as never, {} as never, deps);
	return { served, port, go, retire, close };
}

test('HTTP/2: a client that leaves while its request waits for its turn is not served, those beside it are', async (t) => {
	const server = await running();
	const session = connect(`https://127.0.0.1:${server.port}`, { ca: authority.certPem });
	try {
		const [first, leaving, last] = ['/first', '/leaving', '/last'].map((path) => session.request({ ':path': path }));
		if (first === undefined || leaving === undefined || last === undefined) return t.fail();
		leaving.on('error', () => {});
		await once(session, 'connect');
		leaving.close(8);
		// An answer to a ping says that the server has read all that came before.
		await promisify(session.ping.bind(session) as (done: (error: Error | null) => void) => void)();
		t.deepEqual(server.served, []);
		server.go();
		t.deepEqual(await Promise.all([first, last].map((stream) => readText(stream))), ['/first', '/last']);
		t.deepEqual(server.served, ['/first', '/last']);
	} finally {
		session.destroy();
		await server.close();
	}
});

test('HTTP/2: a connection that is to go elsewhere is told so with the answer', async (t) => {
	const server = await running(undefined, 1);
	const session = connect(`https://127.0.0.1:${server.port}`, { ca: authority.certPem });
	try {
		server.go();
		const left = once(session, 'goaway');
		t.is(await readText(session.request({ ':path': '/first' })), '/first');
		t.deepEqual((await left).slice(0, 1), [0]);
		t.deepEqual(server.served, ['/first']);
	} finally {
		session.destroy();
		await server.close();
	}
});

test('HTTP/2: the header that no second answer has takes no room in the table of those that come again', async (t) => {
	const server = await running();
	const session = connect(`https://127.0.0.1:${server.port}`, { ca: authority.certPem });
	try {
		server.go();
		const asked = session.request({ ':path': '/' });
		const [headers] = (await once(asked, 'response')) as [IncomingHttpHeaders];
		t.deepEqual(headers[sensitiveHeaders as unknown as string], ['audit-id']);
		asked.close();
	} finally {
		session.destroy();
		await server.close();
	}
});

test('HTTP/2: a stream that has closed holds its request no more', async (t) => {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
	try {
		const asked = session.request({ ':method': 'POST', ':path': '/' });
		asked.end('body');
		const [stream, headers] = (await once(server, 'stream')) as [ServerHttp2Stream, IncomingHttpHeaders];
		const body = await new Http2Request(stream, headers, []).body();
		t.is(Buffer.from(body).toString(), 'body');
		const closed = once(stream, 'close');
		stream.respond();
		stream.end('answer');
		t.is(await readText(asked), 'answer');
		await closed;
		t.deepEqual(stream.eventNames(), ['error']);
	} finally {
		session.destroy();
		server.close();
	}
});

test('HTTP/1.1: a client that leaves while its request waits for its turn is not served, those beside it are', async (t) => {
	const server = await running();
	const come = (path: string): ReturnType<typeof connectTls> => {
		const socket = connectTls({ port: server.port, host: '127.0.0.1', ca: authority.certPem, ALPNProtocols: ['http/1.1'] });
		socket.on('error', () => {});
		socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
		return socket;
	};
	const waiting = new Map<string, { readonly response: ServerResponse; readonly gone: Promise<unknown> }>();
	const arrived = channel('http.server.request.start');
	const seen = Promise.withResolvers<void>();
	const see = (message: unknown): void => {
		const { request, response } = message as { readonly request: { readonly url: string }; readonly response: ServerResponse };
		waiting.set(request.url, { response, gone: once(response, 'close') });
		if (waiting.size === 2) seen.resolve();
	};
	arrived.subscribe(see);
	try {
		const leaving = come('/leaving');
		const staying = come('/staying');
		await seen.promise;
		leaving.destroy();
		await waiting.get('/leaving')?.gone;
		t.deepEqual(server.served, []);
		server.go();
		t.regex(await readText(staying), /^HTTP\/1\.1 200 OK\r\n[^]*\/staying$/);
		t.deepEqual(server.served, ['/staying']);
	} finally {
		arrived.unsubscribe(see);
		await server.close();
	}
});

test('HTTP/1.1: what is asked may be long, as a command to execute is', async (t) => {
	const server = await running();
	server.go();
	const path = `/${'a'.repeat(500_000)}`;
	const socket = connectTls({ port: server.port, host: '127.0.0.1', ca: authority.certPem, ALPNProtocols: ['http/1.1'] });
	socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
	t.true((await readText(socket)).endsWith(path));
	await server.close();
});

test('HTTP/1.1: a connection that nothing is asked over ends once the server takes no new ones', async (t) => {
	const server = await running();
	server.go();
	const socket = connectTls({ port: server.port, host: '127.0.0.1', ca: authority.certPem, ALPNProtocols: ['http/1.1'] });
	try {
		const closed = once(socket, 'close');
		socket.write('GET /first HTTP/1.1\r\nhost: a\r\n\r\n');
		let text = '';
		for await (const piece of socket) {
			text += String(piece);
			// Its answer is written before the server knows that it has been sent.
			if (text.endsWith('/first')) setImmediate(() => server.retire());
		}
		await closed;
		t.regex(text, /^HTTP\/1\.1 200 OK\r\n/);
	} finally {
		socket.destroy();
		await server.close();
	}
});

test('HTTP/1.1: what is answered once the server takes no connections says that this one ends', async (t) => {
	const server = await running();
	const arrived = channel('http.server.request.start');
	const seen = Promise.withResolvers<void>();
	const see = (): void => seen.resolve();
	arrived.subscribe(see);
	const socket = connectTls({ port: server.port, host: '127.0.0.1', ca: authority.certPem, ALPNProtocols: ['http/1.1'] });
	try {
		socket.write('GET /under-way HTTP/1.1\r\nhost: a\r\n\r\n');
		await seen.promise;
		server.retire();
		server.go();
		t.regex(await readText(socket), /^HTTP\/1\.1 200 OK\r\n[^]*connection: close\r\n[^]*\/under-way$/i);
	} finally {
		arrived.unsubscribe(see);
		socket.destroy();
		await server.close();
	}
});

test('whoever vanishes without a word is asked after by the kernel', async (t) => {
	const server = await running();
	const socket = connectTcp(server.port, '127.0.0.1');
	try {
		await once(socket, 'connect');
		const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');
		const ends = new RegExp(` \\w+:${hex(server.port)} \\w+:${hex(socket.localPort ?? 0)} 01 \\S+ (\\d\\d):`);
		// Timer 2 is that of keep-alive (proc_net_tcp.txt).
		await eventually('it is', async () => ends.exec(await readFile('/proc/net/tcp', 'utf8'))?.[1] === '02');
		t.pass();
	} finally {
		socket.destroy();
		await server.close();
	}
});

test('the server stops although a connection never shakes hands', async (t) => {
	const server = await running();
	const silent = connectTcp(server.port, '127.0.0.1').on('error', () => {});
	const gone = once(silent, 'close');
	await once(silent, 'connect');
	// It was accepted before this one, which has shaken hands.
	const session = connect(`https://127.0.0.1:${server.port}`, { ca: authority.certPem });
	await once(session, 'connect');
	session.destroy();
	await server.close();
	await gone;
	t.pass();
});

test('a certificate that cannot be used leaves the one before in use, and the next that can is taken up', async (t) => {
	const other = await issue(authority, leaf, realClock);
	const given: (() => { cert: string; key: string })[] = [
		() => ({ cert, key }),
		() => ({ cert: other.certPem, key }),
		() => {
			throw new Error('it is being written');
		},
		() => ({ cert: other.certPem, key: other.keyPem }),
	];
	const server = await running(() => (given.shift() as () => { cert: string; key: string })());
	const shown = async (): Promise<string> => {
		const socket: TLSSocket = connectTls({ host: '127.0.0.1', port: server.port, ca: authority.certPem });
		await once(socket, 'secureConnect');
		const { serialNumber } = socket.getPeerCertificate();
		socket.destroy();
		return serialNumber;
	};
	try {
		const [mismatched, unreadable, renewed] = [await shown(), await shown(), await shown()];
		t.is(mismatched, new X509Certificate(cert).serialNumber);
		t.is(unreadable, mismatched);
		t.is(renewed, new X509Certificate(other.certPem).serialNumber);
	} finally {
		await server.close();
	}
});
