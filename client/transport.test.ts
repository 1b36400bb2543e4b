import { once } from 'node:events';
import { createServer as createPlainServer } from 'node:http';
import { createServer as createHttp1Server } from 'node:https';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import test from 'ava';
import { CONFIG_MAPS, PODS } from '../api/resources.ts';
import { StatusError } from '../api/status.ts';
import { realClock } from '../base/clock.ts';
import { AppError, codeOf } from '../base/errors.ts';
import { eventually } from '../test/tools/eventually.ts';
import { createAuthority, issue } from '../wire/tls/authority.ts';
import { createTransport, type HttpTransport } from './http2.ts';
import { readText } from '../base/lines.ts';
import { createClient } from './rest.ts';

const authority = await createAuthority({ commonName: 'test-ca', days: 1 }, realClock);
const serverPair = await issue(authority, { commonName: 'server', ipAddresses: ['127.0.0.1'], usages: ['server'], days: 1 }, realClock);
const clientPair = await issue(authority, { commonName: 'alice', usages: ['client'], days: 1 }, realClock);

type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => unknown;

interface Server extends AsyncDisposable {
	readonly url: string;
	readonly seen: { readonly connections: number };
	readonly sessions: Set<ServerHttp2Session>;
	readonly sockets: Set<Socket>;
	onSession: () => void;
}

async function serve(handler: Handler, options: { http1?: boolean; settings?: object; maxSessionMemory?: number } = {}): Promise<Server> {
	const secure = { cert: serverPair.certPem, key: serverPair.keyPem, ca: authority.certPem, requestCert: true, rejectUnauthorized: false };
	const server =
		options.http1 === true
			? createHttp1Server(secure, (request, response) => void handler(request as never, response as never))
			: createSecureServer({ ...secure, ...options }, (request, response) => void handler(request, response));
	const sessions = new Set<ServerHttp2Session>();
	const seen = { connections: 0 };
	const sockets = new Set<Socket>();
	server.on('connection', (socket: Socket) => void sockets.add(socket));
	server.on('session', (session: ServerHttp2Session) => {
		seen.connections++;
		sessions.add(session);
		result.onSession();
		session.on('close', () => sessions.delete(session));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const result: Server = {
		onSession: () => {},
		sessions,
		sockets,
		seen,
		url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
		async [Symbol.asyncDispose]() {
			for (const session of sessions) session.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
	return result;
}

function connect(url: string, extra: Partial<Parameters<typeof createTransport>[0]> = {}): HttpTransport {
	return createTransport({
		server: url,
		clock: realClock,
		tls: { ca: authority.certPem, cert: clientPair.certPem, key: clientPair.keyPem },
		...extra,
	});
}

const { signal } = new AbortController();

for (const [name, options] of [
	['HTTP/2', {}],
	['HTTP/1.1', { http1: true }],
] as const)
	test(`${name}: certificate, token, body, headers, warnings, prefix`, async (t) => {
		await using server = await serve(async (request, response) => {
			const peer = (request.socket as { getPeerCertificate?: () => { subject?: { CN?: string } } }).getPeerCertificate?.();
			const body = await readText(request);
			response.setHeader('warning', ['299 - "first \\"quoted\\""', '299 - "second"']);
			response.end(
				JSON.stringify({
					version: request.httpVersion,
					method: request.method,
					url: request.url,
					cn: peer?.subject?.CN,
					token: request.headers.authorization,
					body,
				}),
			);
		}, options);
		const transport = connect(`${server.url}/prefix/`, { token: () => 'sesame' });
		const response = await transport.request(
			{ method: 'POST', path: '/api/v1/pods?x=1', body: 'ü', headers: { 'content-type': 'text/plain' } },
			signal,
		);
		t.is(response.status, 200);
		t.deepEqual(response.warnings, ['first "quoted"', 'second']);
		t.deepEqual(JSON.parse(await readText(response.body)), {
			version: name === 'HTTP/2' ? '2.0' : '1.1',
			method: 'POST',
			url: '/prefix/api/v1/pods?x=1',
			cn: 'alice',
			token: 'Bearer sesame',
			body: 'ü',
		});
		await transport.close();
	});

test('a Status answer is thrown as StatusError, any other text as one made up; no server is Unavailable', async (t) => {
	const answers: Record<string, [number, string]> = {
		'/api/v1/namespaces/a/pods/x': [
			404,
			JSON.stringify({ kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404, message: 'pods "x" not found' }),
		],
		'/api/v1/namespaces/a/pods/y': [503, 'overloaded\n'],
	};
	const server = await serve((request, response) => {
		const [status, text] = answers[request.url] ?? [500, ''];
		response.statusCode = status;
		response.end(text);
	});
	const transport = connect(server.url);
	const client = createClient(transport);
	const missing = await t.throwsAsync(client.get(PODS, 'a/x'), { instanceOf: StatusError });
	t.deepEqual([missing?.code, missing?.message, (missing as StatusError).httpCode], ['NotFound', 'pods "x" not found', 404]);
	const busy = await t.throwsAsync(client.get(PODS, 'a/y'), { instanceOf: StatusError });
	t.deepEqual([busy?.code, busy?.message], ['Unavailable', 'overloaded']);
	await server[Symbol.asyncDispose]();
	const gone = await t.throwsAsync(client.get(PODS, 'a/x'), { instanceOf: AppError });
	t.is(gone?.code, 'Unavailable');
	await transport.close();
});

test('paths, queries and bodies of every verb', async (t) => {
	const seen: string[] = [];
	await using server = await serve(async (request, response) => {
		seen.push(`${request.method} ${request.url} ${request.headers['content-type'] ?? '-'} ${await readText(request)}`);
		response.end(
			JSON.stringify(
				request.method === 'GET' && request.url.includes('?')
					? { metadata: { resourceVersion: '7' }, items: [{ metadata: { name: 'm' } }] }
					: { metadata: { name: 'm' } },
			),
		);
	});
	const transport = connect(server.url);
	const client = createClient(transport);
	const list = await client.list(CONFIG_MAPS, { namespace: 'a', labelSelector: 'x=y,z', limit: 5 });
	t.deepEqual(list, { metadata: { resourceVersion: '7' }, items: [{ metadata: { name: 'm' }, apiVersion: 'v1', kind: 'ConfigMap' }] });
	await client.create(CONFIG_MAPS, { metadata: { name: 'm', namespace: 'a' } }, { dryRun: true, fieldManager: 'me' });
	await client.create(PODS, { target: { name: 'n1' } }, { subresource: 'binding', key: 'a/p' });
	await client.update(PODS, { metadata: { name: 'p', namespace: 'a' } } as never, { subresource: 'status' });
	await client.patch(PODS, 'a/p', { type: 'strategic', body: { x: 1 } });
	await client.patch(PODS, 'a/p', { type: 'apply', body: {}, force: true }, { fieldManager: 'me' });
	await client.delete(PODS, 'a/p', { uid: 'u', gracePeriodSeconds: 0, propagationPolicy: 'Background' });
	t.deepEqual(seen, [
		'GET /api/v1/namespaces/a/configmaps?labelSelector=x%3Dy%2Cz&limit=5 - ',
		'POST /api/v1/namespaces/a/configmaps?dryRun=All&fieldManager=me application/json {"metadata":{"name":"m","namespace":"a"},"apiVersion":"v1","kind":"ConfigMap"}',
		'POST /api/v1/namespaces/a/pods/p/binding application/json {"target":{"name":"n1"}}',
		'PUT /api/v1/namespaces/a/pods/p/status application/json {"metadata":{"name":"p","namespace":"a"}}',
		'PATCH /api/v1/namespaces/a/pods/p application/strategic-merge-patch+json {"x":1}',
		'PATCH /api/v1/namespaces/a/pods/p?fieldManager=me&force=true application/apply-patch+yaml {}',
		'DELETE /api/v1/namespaces/a/pods/p application/json {"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":0,"propagationPolicy":"Background","preconditions":{"uid":"u"}}',
	]);
	await transport.close();
});

test('watch: lines across chunks, an ERROR event, stopping early ends the stream', async (t) => {
	let closed = 0;
	await using server = await serve((request, response) => {
		response.on('close', () => closed++);
		if (request.url.includes('fieldSelector')) return void response.write('{"type":"ADDED","object":{"metadata":{"name":"forever"}}}\n');
		response.write('{"type":"ADDED","object":{"metadata":');
		response.write('{"name":"a"}}}\n{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"old"}}\n');
	});
	const transport = connect(server.url);
	const client = createClient(transport);
	const names: (string | undefined)[] = [];
	const error = await t.throwsAsync(async () => {
		for await (const event of client.watch(PODS)) names.push(event.object.metadata.name);
	});
	t.deepEqual([names, (error as StatusError).httpCode], [['a'], 410]);
	for await (const event of client.watch(PODS, { fieldSelector: 'x=y' })) {
		t.is(event.object.metadata.name, 'forever');
		break;
	}
	const stop = new AbortController();
	await t.throwsAsync(
		async () => {
			for await (const _ of client.watch(PODS, { fieldSelector: 'x=y', signal: stop.signal })) stop.abort(new Error('enough'));
		},
		{ message: 'enough' },
	);
	while (closed < 3) await wait(5);
	await transport.close();
	t.pass();
});

test('a lost connection, a GOAWAY and too many streams are nobody else’s business', async (t) => {
	await using server = await serve(
		(request, response) => {
			if (request.url.startsWith('/hang')) return void response.write('x');
			response.end('{}');
		},
		{ settings: { maxConcurrentStreams: 2 } },
	);
	const transport = connect(server.url);
	const get = async (path: string): Promise<number> => {
		const response = await transport.request({ method: 'GET', path }, signal);
		if (!path.startsWith('/hang')) await readText(response.body);
		return response.status;
	};
	t.is(await get('/a'), 200);
	t.is(server.seen.connections, 1);
	for (const session of server.sessions) session.goaway();
	await wait(20);
	t.is(await get('/b'), 200);
	t.is(server.seen.connections, 2);
	for (const session of server.sessions) session.destroy();
	t.is(await get('/c'), 200);
	t.deepEqual(await Promise.all(['/hang1', '/hang2', '/hang3', '/d'].map(get)), [200, 200, 200, 200]);
	t.true(server.seen.connections >= 4, 'streams beyond the limit go to another connection');
	await transport.close();
});

for (const [name, http1, end] of [
	['HTTP/2, reset', false, 'resetAndDestroy'],
	['HTTP/2, closed', false, 'destroy'],
	['HTTP/1.1, reset', true, 'resetAndDestroy'],
	['HTTP/1.1, closed', true, 'destroy'],
] as const)
	test(`a server that dies in the middle of an answer is Unavailable: ${name}`, async (t) => {
		await using server = await serve(
			(_request, response) => {
				response.write('{"half":');
			},
			{ http1 },
		);
		const transport = connect(server.url);
		const response = await transport.request({ method: 'GET', path: '/' }, signal);
		// As the kernel ends the connections of a killed process: without a word of the protocol.
		server.sockets.forEach((socket) => socket[end]());
		const error = await t.throwsAsync(readText(response.body));
		t.is(codeOf(error), 'Unavailable');
		await transport.close();
	});

test('HTTP/1.1: a server that closes a kept connection as the next request comes is asked again on a new one', async (t) => {
	const served = new WeakSet<object>();
	let asked = 0;
	await using server = await serve(
		({ socket }, response) => {
			asked++;
			if (served.has(socket)) return socket.destroy();
			served.add(socket);
			return response.end('ok');
		},
		{ http1: true },
	);
	const transport = connect(server.url);
	for (const wanted of [1, 3]) {
		const { body } = await transport.request({ method: 'GET', path: '/' }, signal);
		t.is(await readText(body), 'ok');
		t.is(asked, wanted);
		// The connection is free for the next request only after this turn.
		await new Promise(setImmediate);
	}
	await transport.close();
});

test('many large bodies at once, both ways, over one connection', async (t) => {
	const large = 'x'.repeat(3 * 1024 * 1024);
	await using server = await serve(
		async (request, response) => {
			const { length } = await readText(request);
			response.end(request.url === '/down' ? large : String(length));
		},
		{ settings: { maxConcurrentStreams: 100 }, maxSessionMemory: 100 },
	);
	const transport = connect(server.url);
	const send = async (path: string, body?: string): Promise<string> =>
		readText((await transport.request({ method: 'POST', path, ...(body === undefined ? {} : { body }) }, signal)).body);
	const up = await Promise.all(Array.from({ length: 12 }, () => send('/up', large)));
	t.deepEqual(new Set(up), new Set([String(large.length)]));
	const down = await Promise.all(Array.from({ length: 12 }, () => send('/down')));
	t.true(down.every((text) => text === large));
	t.is(await send('/up', 'small'), '5');
	t.is(server.seen.connections, 1);
	await transport.close();
});

test('answers that are whole before anybody reads them are whole', async (t) => {
	await using server = await serve((_request, response) => response.end('whole'));
	const transport = connect(server.url);
	const late = async (turns: number): Promise<string> => {
		const { body } = await transport.request({ method: 'POST', path: '/', body: 'x' }, signal);
		for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
		return readText(body);
	};
	const answers = await Promise.allSettled(Array.from({ length: 200 }, (_, i) => late(i % 5)));
	t.deepEqual(
		answers.filter(({ status }) => status === 'rejected'),
		[],
	);
	await transport.close();
});

test('certificates: an unknown authority is refused; renew() reads them anew', async (t) => {
	await using server = await serve((request, response) => {
		const peer = (request.socket as { getPeerCertificate?: () => { subject?: { CN?: string } } }).getPeerCertificate?.();
		response.end(peer?.subject?.CN ?? 'nobody');
	});
	const stranger = connect(server.url, { tls: {} });
	await t.throwsAsync(stranger.request({ method: 'GET', path: '/' }, signal), { message: /Cannot connect/ });
	const lenient = connect(server.url, { tls: {}, insecureSkipTlsVerify: true });
	t.is(await readText((await lenient.request({ method: 'GET', path: '/' }, signal)).body), 'nobody');
	let pair = clientPair;
	const transport = connect(server.url, { tls: () => ({ ca: authority.certPem, cert: pair.certPem, key: pair.keyPem }) });
	const who = async (): Promise<string> => await readText((await transport.request({ method: 'GET', path: '/' }, signal)).body);
	t.is(await who(), 'alice');
	pair = await issue(authority, { commonName: 'bob', usages: ['client'], days: 1 }, realClock);
	t.is(await who(), 'alice');
	transport.renew();
	t.is(await who(), 'bob');
	await Promise.all([stranger, lenient, transport].map((each) => each.close()));
});

test('upgrade: over HTTP/1.1, plain http too; a refusal is a StatusError', async (t) => {
	const server = createPlainServer((_request, response) => {
		response.statusCode = 403;
		response.end(JSON.stringify({ kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' }));
	});
	server.on('upgrade', (request, socket: Duplex) => {
		if (request.url !== '/echo') return void socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno');
		socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: SPDY/3.1\r\nconnection: Upgrade\r\n\r\nhello');
		socket.on('data', (chunk: Buffer) => socket.end(chunk));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const transport = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
	const { socket, head, headers } = await transport.upgrade({ method: 'POST', path: '/echo', headers: { upgrade: 'SPDY/3.1' } }, signal);
	t.is(headers['upgrade'], 'SPDY/3.1');
	socket.write('ping');
	const text = Buffer.from(head).toString() + (await readText(socket));
	t.is(text, 'helloping');
	const refused = await t.throwsAsync(transport.upgrade({ method: 'POST', path: '/no', headers: { upgrade: 'SPDY/3.1' } }, signal));
	t.is((refused as StatusError).httpCode, 403);
	await transport.close();
	server.close();
});

test('close() and renew() count for a connection that is just being opened', async (t) => {
	await using server = await serve((_request, response) => response.end('{}'));
	const get = { method: 'GET', path: '/' } as const;
	const read = async (transport: HttpTransport): Promise<string> => readText((await transport.request(get, signal)).body);

	const closing = connect(server.url);
	server.onSession = () => void closing.close();
	await t.throwsAsync(read(closing));
	await t.notThrowsAsync(eventually('nothing stays open', async () => server.sessions.size === 0));

	const renewing = connect(server.url);
	server.onSession = () => {
		server.onSession = () => {};
		renewing.renew();
	};
	const before = server.seen.connections;
	await read(renewing);
	await read(renewing);
	t.is(server.seen.connections, before + 2, 'what came later uses the new certificates');
	await renewing.close();
});
