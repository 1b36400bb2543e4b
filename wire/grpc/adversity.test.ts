/** What peers and networks do to calls: readers that leave or are slow, ends in the middle, connections that are silently gone. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect as connectHttp2, constants, createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { realClock as clock } from '../../base/clock.ts';
import { AppError, codeOf } from '../../base/errors.ts';
import { noLog as log } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { RuntimeServiceService as Runtime } from '../gen/cri.ts';
import { WatchService } from '../gen/etcd-rpc.ts';
import { grpcClient, type GrpcClientOptions } from './client.ts';
import { framed } from './frame.ts';
import type { CallContext } from './method.ts';
import { serveGrpc, service } from './server.ts';
import { NotConnected, Session } from './session.ts';

const { version, getContainerEvents } = Runtime;
const SERVICE = { version, getContainerEvents } as const;
const EVENT = { containerEventType: 0 as const, createdAt: 0n, podSandboxStatus: undefined, containersStatuses: [] };
const VERSION = { version: '', runtimeName: '', runtimeVersion: '', runtimeApiVersion: '' };
const GRPC = { ':status': 200, 'content-type': 'application/grpc' };

async function socketOf(t: ExecutionContext): Promise<string> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-grpc-'));
	t.teardown(() => rm(dir, { recursive: true }));
	return join(dir, 'x.sock');
}

type Events = (request: unknown, context: CallContext) => AsyncIterable<typeof EVENT & { containerId: string }>;

async function serve(t: ExecutionContext, events: Events, answer = async (): Promise<typeof VERSION> => VERSION): Promise<string> {
	const path = await socketOf(t);
	const server = await serveGrpc([service(SERVICE, { version: answer, getContainerEvents: events })], { address: path, clock, log });
	t.teardown(() => server.stop());
	return path;
}

/** A server that answers calls as it is told. */
async function bare(t: ExecutionContext, answer: (stream: ServerHttp2Stream) => void): Promise<string> {
	const path = await socketOf(t);
	const server = createHttp2Server();
	server.on('stream', (stream) => {
		stream.on('error', () => {}).resume();
		answer(stream);
	});
	await once(server.listen(path), 'listening');
	t.teardown(() => server.close());
	return path;
}

async function clientOf(t: ExecutionContext, address: string, options: Partial<GrpcClientOptions> = {}) {
	const client = await grpcClient({ ...SERVICE, watch: WatchService.watch }, { address, clock, ...options });
	t.teardown(() => client.close());
	return client;
}

/** The connection of a call that was left closes with its client: nothing of it was kept. */
async function leavesNothing(t: ExecutionContext, answer: (stream: ServerHttp2Stream) => void): Promise<void> {
	const path = await socketOf(t);
	const server = createHttp2Server();
	const ended = new Promise<void>((resolve) => server.once('session', (session) => session.once('close', resolve)));
	server.on('stream', (stream) => {
		stream.on('error', () => {}).resume();
		answer(stream);
	});
	await once(server.listen(path), 'listening');
	const client = await grpcClient(SERVICE, { address: path, clock });
	for await (const _ of client.getContainerEvents({})) {
		for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve)); // all there is has come
		break;
	}
	client.close();
	await ended;
	await new Promise((resolve) => server.close(resolve));
	t.pass();
}

const event = (size = 0): Buffer => framed(getContainerEvents.responseSerialize({ ...EVENT, containerId: 'x'.repeat(size) }));

test('a stream that is left before it was read to its end is let go: the server goes on', (t) =>
	leavesNothing(t, (stream) => {
		stream.respond(GRPC);
		for (let i = 0; i < 30; i++) stream.write(event(30_000));
	}));

test('a stream that is left before it was read to its end is let go: the server has ended it', (t) =>
	leavesNothing(t, (stream) => {
		stream.respond(GRPC, { waitForTrailers: true });
		stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
		for (let i = 0; i < 30; i++) stream.write(event(30_000));
		stream.end();
	}));

test('a handler writes no further than its reader reads, and ends when the reader leaves', async (t) => {
	let told = 0;
	const over = Promise.withResolvers<AbortSignal>();
	const path = await serve(t, async function* (_request, { signal }) {
		try {
			for (; !signal.aborted; told++) yield { ...EVENT, containerId: 'x'.repeat(100_000) };
		} finally {
			over.resolve(signal);
		}
	});
	const session = connectHttp2('http://localhost', { createConnection: () => connect(path) });
	const stream = session.request({ ':method': 'POST', ':path': getContainerEvents.path, 'content-type': 'application/grpc' });
	stream.on('error', () => {});
	stream.end(framed(getContainerEvents.requestSerialize({})));
	await once(stream, 'response');
	for (let turns = 0, before = -1; turns < 20; turns++) {
		if (told !== before) turns = 0;
		before = told;
		await new Promise((resolve) => setImmediate(resolve));
	}
	t.true(told < 30, `${told} messages of 100 kB were written to somebody who read none`);
	stream.close(constants.NGHTTP2_CANCEL);
	t.true((await over.promise).aborted);
	session.destroy();
});

for (const reset of ['NGHTTP2_CANCEL', 'NGHTTP2_NO_ERROR'] as const)
	test(`a stream of requests that is reset is no whole one, and a handler that is slow to read hears of it: ${reset}`, async (t) => {
		const path = await socketOf(t);
		const reading = Promise.withResolvers<void>();
		const outcome = Promise.withResolvers<unknown>();
		const watch = {
			async *watch(requests: AsyncIterable<unknown>, { signal }: CallContext) {
				try {
					for await (const _ of requests) {
						reading.resolve();
						if (!signal.aborted) await once(signal, 'abort'); // it takes its time
					}
					outcome.resolve('whole');
				} catch (error) {
					outcome.resolve(codeOf(error));
				}
				yield* [];
			},
		};
		const server = await serveGrpc([service({ watch: WatchService.watch }, watch as never)], { address: path, clock, log });
		const session = connectHttp2('http://localhost', { createConnection: () => connect(path) });
		const stream = session.request({ ':method': 'POST', ':path': WatchService.watch.path, 'content-type': 'application/grpc' });
		stream.on('error', () => {});
		for (let i = 0; i < 5; i++) stream.write(framed(WatchService.watch.requestSerialize({ requestUnion: undefined })));
		await reading.promise;
		stream.write(Buffer.alloc(100_000));
		stream.close(constants[reset]);
		t.is(await outcome.promise, 'Canceled');
		session.close();
		await server.stop();
	});

test('a stream that the server tells to end is no whole one for its client', async (t) => {
	const path = await socketOf(t);
	const handlers = {
		version: async () => VERSION,
		async *getContainerEvents(_request: unknown, { signal }: CallContext) {
			yield { ...EVENT, containerId: '1' };
			await once(signal, 'abort');
			yield { ...EVENT, containerId: '2' };
		},
	};
	const server = await serveGrpc([service(SERVICE, handlers)], { address: path, clock, log });
	const client = await clientOf(t, path);
	let stopped: Promise<void> | undefined;
	const error = await t.throwsAsync(async () => {
		for await (const _ of client.getContainerEvents({})) stopped ??= server.stop();
	});
	t.is(codeOf(error), 'Unavailable');
	await stopped;
});

for (const [name, message, want] of [
	['spaces around it', ' no  ', ' no  '],
	['nothing but a space', ' ', ' '],
	['more than headers hold', `a${'é'.repeat(100_000)}`, `a${'é'.repeat(50)}`],
] as const)
	test(`a status' words arrive: ${name}`, async (t) => {
		const refuse = (): Promise<never> => Promise.reject(new AppError('NotFound', message));
		const path = await serve(
			t,
			async function* () {
				yield { ...EVENT, containerId: '' };
				await refuse();
			},
			refuse,
		);
		const client = await clientOf(t, path);
		const stream = async (): Promise<void> => {
			for await (const _ of client.getContainerEvents({})) continue;
		};
		for (const call of [client.version({ version: '' }), stream()]) {
			const error = await t.throwsAsync(call);
			t.is(codeOf(error), 'NotFound');
			t.true(error?.message.startsWith(want));
			if (message.length === want.length) t.is(error?.message, want);
		}
	});

test('words with a space at their end come from strict peers and others', async (t) => {
	const path = await socketOf(t);
	const server = createHttp2Server({ strictFieldWhitespaceValidation: false });
	server.on('stream', (stream) => stream.respond({ ...GRPC, 'grpc-status': '5', 'grpc-message': 'Output: ' }, { endStream: true }));
	await once(server.listen(path), 'listening');
	t.teardown(() => server.close());
	const client = await clientOf(t, path);
	t.is(codeOf(await t.throwsAsync(client.version({ version: '' }), { message: 'Output: ' })), 'NotFound');
});

test('a stream that is answered by a page is told of as such, however long the page', async (t) => {
	const path = await bare(t, (stream) => {
		stream.respond({ ':status': 502, 'content-type': 'text/html' });
		stream.write('<html>a page that never ends');
	});
	const client = await clientOf(t, path);
	const error = await t.throwsAsync(
		async () => {
			for await (const _ of client.getContainerEvents({})) t.fail();
		},
		{ message: 'unexpected HTTP status code received from server: 502 (Bad Gateway)' },
	);
	t.is(codeOf(error), 'Unavailable');
});

test('a message that ends in its middle is none', async (t) => {
	const path = await bare(t, (stream) => {
		stream.respond(GRPC, { waitForTrailers: true });
		stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
		stream.end(event(10).subarray(0, 8));
	});
	const client = await clientOf(t, path);
	const stream = async (): Promise<void> => {
		for await (const _ of client.getContainerEvents({})) t.fail();
	};
	for (const call of [client.version({ version: '' }), stream()])
		t.is(codeOf(await t.throwsAsync(call, { message: 'unexpected EOF' })), 'Internal');
});

test('answers are as large as their reader allows', async (t) => {
	const long = { ...VERSION, version: 'x'.repeat(17 * 1024 ** 2) };
	const path = await bare(t, (stream) => {
		stream.respond(GRPC, { waitForTrailers: true });
		stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
		const message = version.responseSerialize(long);
		const prefix = Buffer.alloc(5);
		prefix.writeUInt32BE(message.length, 1);
		stream.end(Buffer.concat([prefix, message]));
	});
	const [strict, lenient] = [await clientOf(t, path), await clientOf(t, path, { maxAnswerBytes: 2 ** 31 - 1 })];
	t.is((await lenient.version({ version: '' })).version.length, long.version.length);
	const error = await t.throwsAsync(strict.version({ version: '' }), {
		message: /^grpc: received message larger than max \(1782\d{4} vs\. 16777216\)$/,
	});
	t.is(codeOf(error), 'ResourceExhausted');
});

test('a request that is too large is not sent', async (t) => {
	const client = await clientOf(t, '/nowhere');
	const error = await t.throwsAsync(client.version({ version: 'x'.repeat(2 ** 24) }), {
		message: /^trying to send message larger than max \(1677\d{4} vs\. 16777216\)$/,
	});
	t.is(codeOf(error), 'ResourceExhausted');
});

test('a call that a leaving server did not take was never sent', async (t) => {
	const path = await bare(t, (stream) => {
		if (stream.id === 1) stream.respond({ ...GRPC, 'grpc-status': '5' }, { endStream: true });
		else stream.session?.goaway(constants.NGHTTP2_NO_ERROR, 1);
	});
	const client = await clientOf(t, path);
	t.is(codeOf(await t.throwsAsync(client.version({ version: '' }))), 'NotFound');
	await t.throwsAsync(client.version({ version: '' }), { instanceOf: NotConnected });
	const refusing = await bare(t, (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM));
	await t.throwsAsync((await clientOf(t, refusing)).version({ version: '' }), { instanceOf: NotConnected });
});

test('a connection that is silently gone fails its calls after a ping that nobody answers', async (t) => {
	const path = await socketOf(t);
	const dead = createServer((socket) => socket.on('error', () => {}).resume());
	await once(dead.listen(path), 'listening');
	t.teardown(() => dead.close());
	const accepted = once(dead, 'connection');
	const virtual = new VirtualClock();
	const client = await clientOf(t, path, { clock: virtual, keepalive: { afterMs: 30_000, timeoutMs: 10_000 } });
	const call = t.throwsAsync(client.version({ version: '' }), { message: 'keepalive ping failed to receive ACK within timeout' });
	await accepted;
	await virtual.advance(39_999);
	t.is(virtual.pending, 1);
	await virtual.advance(1);
	t.is(codeOf(await call), 'Unavailable');
	t.is(virtual.pending, 0);
});

test('a connection whose pings are answered is kept, and pinged during calls alone', async (t) => {
	let answer = (): void => {};
	let pings = 0;
	const path = await bare(t, (stream) => {
		stream.session?.on('ping', () => pings++);
		answer = () => {
			stream.respond(GRPC, { waitForTrailers: true });
			stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
			stream.end(framed(version.responseSerialize(VERSION)));
		};
		asked.resolve();
	});
	const asked = Promise.withResolvers<void>();
	const virtual = new VirtualClock();
	const client = await clientOf(t, path, { clock: virtual, keepalive: { afterMs: 30_000, timeoutMs: 10_000 } });
	const call = client.version({ version: '' });
	await asked.promise;
	for (let s = 0; s < 100; s++) await virtual.advance(1000);
	t.is(pings, 3);
	answer();
	await call;
	while (virtual.pending > 0) await new Promise((resolve) => setImmediate(resolve));
	await virtual.advance(100_000);
	t.is(pings, 3);
});

test('a server that takes connections and says nothing is given up', async (t) => {
	const silent = createServer((socket) => socket.on('error', () => {}).resume());
	await once(silent.listen(0, '127.0.0.1'), 'listening');
	t.teardown(() => silent.close());
	const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
	const accepted = once(silent, 'connection');
	const virtual = new VirtualClock();
	const client = await clientOf(t, address, { clock: virtual, tls: { caPem: '' } });
	const call = t.throwsAsync(client.version({ version: '' }), {
		instanceOf: NotConnected,
		message: `connection error: desc = "transport: Error while dialing: dial tcp ${address}: i/o timeout"`,
	});
	await accepted;
	await virtual.advance(20_000);
	await call;
	t.is(virtual.pending, 0);
});

for (const [address, words] of [
	['etcd', 'dial tcp: address etcd: missing port in address'],
	['etcd:99999', 'dial tcp: address 99999: invalid port'],
] as const)
	test(`an address that is none is told of: ${address}`, async (t) => {
		const client = await clientOf(t, address);
		await t.throwsAsync(client.version({ version: '' }), {
			instanceOf: NotConnected,
			message: `connection error: desc = "transport: Error while dialing: ${words}"`,
		});
	});

test('a server that is too busy to be connected to is alive', async (t) => {
	const path = await socketOf(t);
	const busy = createServer((socket) => socket.on('error', () => {}).resume());
	await once(busy.listen({ path, backlog: 1 }), 'listening');
	const waiting = Array.from({ length: 5 }, () => connect(path).on('error', () => {}));
	await t.throwsAsync(serveGrpc([], { address: path, clock, log }), { message: `Another process serves on "${path}"` });
	for (const socket of waiting) socket.destroy();
	await new Promise((resolve) => busy.close(resolve));
});

test('a connection whose calls are numbered to the end takes no more of them', async (t) => {
	const path = await bare(t, (stream) => stream.respond({ ...GRPC, 'grpc-status': '0' }, { endStream: true }));
	const socket = connect(path);
	const http2 = connectHttp2('http://localhost', { createConnection: () => socket });
	await once(http2, 'connect');
	const session = new Session(http2, socket, clock, undefined);
	const call = (): Promise<unknown> =>
		once(session.request([':method', 'POST', ':path', '/', 'content-type', 'application/grpc']).end().resume(), 'close');
	await call();
	t.true(session.isUsable);
	(http2 as unknown as { setNextStreamID: (id: number) => void }).setNextStreamID(2 ** 31 - 9);
	await call();
	t.false(session.isUsable);
	if (!http2.destroyed) await once(http2, 'close');
});
