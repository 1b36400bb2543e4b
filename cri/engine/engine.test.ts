import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { AppError, messageOf } from '../../base/errors.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { connectEngine, type Engine } from './engine.ts';
import { unreachable } from './errors.ts';
import { whereIs } from './transport.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
type Upgrade = (request: IncomingMessage, socket: Duplex) => void;

/** An engine that answers as the case says, at a socket of its own. */
async function engineThat(answer: Answer, upgrade?: Upgrade): Promise<{ engine: Engine; clock: VirtualClock } & AsyncDisposable> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-engine-'));
	const server = createServer((request, response) => {
		if (request.url === '/version') json(response, 200, { ApiVersion: '1.45', MinAPIVersion: '1.24', Version: '26.1.5' });
		else answer(request, response);
	});
	if (upgrade !== undefined) server.on('upgrade', upgrade);
	server.listen(join(dir, 'engine.sock'));
	await once(server, 'listening');
	const clock = new VirtualClock();
	const engine = await connectEngine(`unix://${join(dir, 'engine.sock')}`, undefined, { clock, timeoutMs: 1000 });
	return {
		engine,
		clock,
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			server.close();
			await rm(dir, { recursive: true, force: true });
		},
	};
}

function json(response: ServerResponse, status: number, value: unknown): void {
	response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}

const PATH = '/containers/a/start';

for (const [name, answer, want] of [
	['the JSON of an answer', (_, response) => json(response, 200, { Id: 'é' }), { Id: 'é' }],
	['nothing where there is no content', (_, response) => response.writeHead(204).end(), undefined],
	['nothing where it is so already', (_, response) => response.writeHead(304).end(), undefined],
	['nothing of what is no JSON', (_, response) => response.writeHead(200, { 'Content-Type': 'text/plain' }).end('OK'), undefined],
] as readonly [string, Answer, unknown][])
	test(`a call gives ${name}`, async (t) => {
		await using it = await engineThat(answer);
		t.deepEqual(await it.engine.call({ method: 'POST', path: PATH }), want);
	});

test('a request is sent in the version that both know, with its query, its body and credentials as the engine reads them', async (t) => {
	const seen: unknown[] = [];
	await using it = await engineThat((request, response) => {
		let body = '';
		request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
		request.once('end', () => {
			seen.push(request.method, request.url, request.headers['content-type'], request.headers['x-registry-auth'], body);
			json(response, 201, {});
		});
	});
	const query = { name: 'a b', all: true, left: undefined };
	await it.engine.call({ method: 'POST', path: '/containers/create', query, body: { Image: 'ü' }, auth: { password: '?>?>~' } });
	const auth = Buffer.from('{"password":"?>?>~"}').toString('base64').replaceAll('+', '-').replaceAll('/', '_');
	t.deepEqual(seen, ['POST', '/v1.45/containers/create?name=a+b&all=true', 'application/json', auth, '{"Image":"ü"}']);
});

for (const [name, answer, code, message] of [
	['the engine refuses', (_, response) => json(response, 404, { message: 'No such container: a' }), 'NotFound', /^No such container: a$/],
	['the engine refuses without JSON', (_, response) => response.writeHead(503).end('busy\n'), 'Unavailable', /^busy$/],
	['the engine refuses without a word', (_, response) => response.writeHead(500).end(), 'Unknown', /^HTTP 500$/],
	['the connection ends before the answer', (request) => request.socket.destroy(), 'Unavailable', /^Cannot reach Docker Engine \(POST /],
	[
		'the connection ends within the answer',
		(request, response) => {
			response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100 }).write('{');
			setImmediate(() => request.socket.destroy());
		},
		'Unavailable',
		/^Cannot reach Docker Engine \(POST /,
	],
] as readonly [string, Answer, string, RegExp][])
	for (const kind of name.includes('within') ? (['call'] as const) : (['call', 'stream', 'hijack'] as const))
		test(`a ${kind} fails as the engine says where ${name}`, async (t) => {
			await using it = await engineThat(answer, (request, socket) => {
				const response = { 404: JSON.stringify({ message: 'No such container: a' }), 503: 'busy\n', 500: '' } as Record<number, string>;
				const status = code === 'NotFound' ? 404 : name.includes('refuses') ? (code === 'Unavailable' ? 503 : 500) : undefined;
				if (status === undefined) return void request.socket.destroy();
				const body = response[status] as string;
				socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
			});
			const error = await t.throwsAsync(it.engine[kind]({ method: 'POST', path: PATH }), { instanceOf: AppError, message });
			t.is(error?.code, code as AppError['code']);
		});

for (const kind of ['call', 'stream', 'hijack'] as const) {
	test(`a ${kind} that the engine does not answer is over after its bound`, async (t) => {
		const asked = Promise.withResolvers<void>();
		await using it = await engineThat(
			() => asked.resolve(),
			() => asked.resolve(),
		);
		const over = t.throwsAsync(it.engine[kind]({ method: 'POST', path: PATH, timeoutMs: 70 }), { instanceOf: AppError });
		await asked.promise;
		await it.clock.advance(70);
		const error = await over;
		t.is(error?.code, 'DeadlineExceeded');
		t.is(error?.message, `Docker Engine did not answer POST ${PATH} within 70 ms`);
	});

	test(`a ${kind} that its caller gives up ends at once`, async (t) => {
		const asked = Promise.withResolvers<void>();
		await using it = await engineThat(
			() => asked.resolve(),
			() => asked.resolve(),
		);
		const stop = new AbortController();
		const over = t.throwsAsync(it.engine[kind]({ method: 'POST', path: PATH, signal: stop.signal }), { instanceOf: AppError });
		await asked.promise;
		stop.abort(new Error('why'));
		const error = await over;
		t.is(error?.code, 'Canceled');
		t.is(messageOf(error?.cause), 'why');
		await t.throwsAsync(it.engine[kind]({ method: 'POST', path: PATH, signal: stop.signal }), { message: 'why' });
	});
}

test('a stream ends with its signal, however long ago it began', async (t) => {
	await using it = await engineThat((_, response) => void response.writeHead(200).write('one'));
	const stop = new AbortController();
	const answer = await it.engine.stream({ method: 'GET', path: '/events', signal: stop.signal, timeoutMs: 1000 });
	await it.clock.advance(5000);
	const pieces: string[] = [];
	await t.throwsAsync(async () => {
		for await (const piece of answer) {
			pieces.push(String(piece));
			stop.abort();
		}
	});
	t.deepEqual(pieces, ['one']);
});

test('a hijacked connection is raw both ways, from the first byte after its head on, and outlives the signal', async (t) => {
	await using it = await engineThat(
		() => {},
		(_, socket) => {
			socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\nfirst');
			socket.pipe(socket);
		},
	);
	const stop = new AbortController();
	const socket = await it.engine.hijack({ method: 'POST', path: '/exec/a/start', body: { Tty: true }, signal: stop.signal });
	stop.abort();
	socket.end('more');
	let text = '';
	for await (const piece of socket) text += String(piece);
	t.is(text, 'firstmore');
});

test('a connection that is not made raw is refused', async (t) => {
	await using it = await engineThat((_, response) => json(response, 200, {}));
	await t.throwsAsync(it.engine.hijack({ method: 'POST', path: PATH }), { message: /it answered 200 and kept the connection/ });
});

for (const [host, options] of [
	['unix:///run/docker.sock', { socketPath: '/run/docker.sock' }],
	['/run/docker.sock', { socketPath: '/run/docker.sock' }],
	['tcp://10.0.0.1', { host: '10.0.0.1', port: 2375 }],
	['https://docker:2376', { host: 'docker', port: 2376 }],
	['tcp://[::1]:2375', { host: '::1', port: 2375 }],
] as const)
	test(`whereIs(): ${host}`, async (t) => t.deepEqual((await whereIs(host)).options, options));

for (const code of ['ECONNRESET', 'EPIPE'])
	test(`an engine that goes away while it is written to (${code}) is one that cannot be reached`, (t) =>
		t.is(unreachable(Object.assign(new Error('gone'), { code }), 'GET /').code, 'Unavailable'));
