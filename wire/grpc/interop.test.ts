/** Our ends of gRPC against another implementation's, and what the two agree on: statuses, messages of any size, compression, deadlines, ends of connections. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import grpc from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { realClock as clock } from '../../base/clock.ts';
import { AppError, codeOf } from '../../base/errors.ts';
import { noLog as log } from '../../base/log.ts';
import { RuntimeServiceService as Runtime } from '../gen/cri.ts';
import { WatchService } from '../gen/etcd-rpc.ts';
import { createAuthority, issue } from '../tls/authority.ts';
import { grpcClient } from './client.ts';
import { serveGrpc, service } from './server.ts';
import { NotConnected } from './session.ts';

async function socketOf(t: ExecutionContext): Promise<string> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-grpc-'));
	t.teardown(() => rm(dir, { recursive: true }));
	return join(dir, 'x.sock');
}

const { version, getContainerEvents } = Runtime;
const SERVICE = { version, getContainerEvents } as const;
const EVENT = { containerEventType: 0 as const, createdAt: 0n, podSandboxStatus: undefined, containersStatuses: [] };
const ODD = 'no "ü" at 100 %\n';

/** Answers with the version that it is asked for, as long as a number says, and refuses what is called so. */
const handlers = {
	version: async ({ version: asked }: { version: string }) => {
		if (asked === 'refuse') throw new AppError('NotFound', ODD);
		if (asked === 'wait') return new Promise<never>(() => {});
		return { version: 'x'.repeat(Number(asked)), runtimeName: '', runtimeVersion: '', runtimeApiVersion: '' };
	},
	async *getContainerEvents() {
		for (let i = 0; i < 3; i++) yield { ...EVENT, containerId: String(i) };
		throw new AppError('OutOfRange', ODD);
	},
};

/** grpc-js's client. */
function other(t: ExecutionContext, address: string, credentials = grpc.credentials.createInsecure(), options: grpc.ClientOptions = {}) {
	const client = new grpc.Client(address, credentials, {
		'grpc.default_authority': 'localhost',
		'grpc.max_receive_message_length': -1,
		...options,
	});
	t.teardown(() => client.close());
	const call = (path: string, asked: string, callOptions: grpc.CallOptions = {}): Promise<number> =>
		new Promise((resolve, reject) => {
			const { requestSerialize, responseDeserialize } = version;
			client.makeUnaryRequest(path, requestSerialize, responseDeserialize, { version: asked }, callOptions, (error, value) =>
				error === null ? resolve(value?.version.length ?? -1) : reject(error),
			);
		});
	return { client, call };
}

test("another's client: answers of any size, packed requests, statuses and streams", async (t) => {
	const path = await socketOf(t);
	const server = await serveGrpc([service(SERVICE, handlers)], { address: path, clock, log });
	t.teardown(() => server.stop());
	const { client, call } = other(t, `unix:${path}`);
	for (const size of [0, 1, 70_000, 5_000_000]) t.is(await call(version.path, String(size)), size);
	const packing = other(t, `unix:${path}`, undefined, { 'grpc.default_compression_algorithm': grpc.compressionAlgorithms.gzip });
	t.is(await packing.call(version.path, '7'), 7);
	await t.throwsAsync(call(version.path, 'refuse'), { message: `5 NOT_FOUND: ${ODD}` });
	await t.throwsAsync(call(version.path, String(2 ** 24)), {
		message: /^8 RESOURCE_EXHAUSTED: trying to send message larger than max/,
	});
	await t.throwsAsync(call('/runtime.v1.RuntimeService/Nope', '1'), {
		message: '12 UNIMPLEMENTED: unknown method Nope for service runtime.v1.RuntimeService',
	});
	await t.throwsAsync(call('/no.Such/Nope', '1'), { message: '12 UNIMPLEMENTED: unknown service no.Such' });
	await t.throwsAsync(call(version.path, 'wait', { deadline: Date.now() + 30 }), { message: /^4 DEADLINE_EXCEEDED/ });
	const ids: string[] = [];
	const { path: at, requestSerialize, responseDeserialize } = getContainerEvents;
	const events = client.makeServerStreamRequest(at, requestSerialize, responseDeserialize, {});
	events.on('data', (event: { containerId: string }) => ids.push(event.containerId));
	const [error] = (await once(events, 'error')) as [Error];
	t.is(error.message, `11 OUT_OF_RANGE: ${ODD}`);
	t.deepEqual(ids, ['0', '1', '2']);
});

test("another's server: answers of any size, packed answers, statuses and streams", async (t) => {
	const path = await socketOf(t);
	const server = new grpc.Server({
		'grpc.max_send_message_length': -1,
		'grpc.default_compression_algorithm': grpc.compressionAlgorithms.gzip,
	});
	server.addService(
		{ version, getContainerEvents, watch: WatchService.watch } as unknown as grpc.ServiceDefinition,
		{
			version: ({ request }: { request: { version: string } }, reply: (error: object | null, value?: unknown) => void) =>
				handlers.version(request).then(
					(value) => reply(null, value),
					() => reply({ code: 5, details: ODD }),
				),
			getContainerEvents: (call: grpc.ServerWritableStream<unknown, unknown>) => {
				for (let i = 0; i < 3; i++) call.write({ ...EVENT, containerId: String(i) });
				call.emit('error', { code: 11, details: ODD });
			},
			watch: (call: grpc.ServerDuplexStream<unknown, unknown>) => void call.on('data', () => call.end()),
		} as never,
	);
	await new Promise<void>((resolve, reject) =>
		server.bindAsync(`unix:${path}`, grpc.ServerCredentials.createInsecure(), (error) => (error === null ? resolve() : reject(error))),
	);
	const client = await grpcClient({ ...SERVICE, watch: WatchService.watch }, { address: path, clock });
	for (const size of [0, 1, 70_000, 5_000_000]) t.is((await client.version({ version: String(size) })).version.length, size);
	const refused = await t.throwsAsync(client.version({ version: 'refuse' }), { message: ODD });
	t.is(codeOf(refused), 'NotFound');
	const large = await t.throwsAsync(client.version({ version: String(2 ** 25) }));
	t.is(codeOf(large), 'ResourceExhausted');
	t.is(codeOf(await t.throwsAsync(client.version({ version: 'wait' }, { timeoutMs: 30 }))), 'DeadlineExceeded');
	const ids: string[] = [];
	const failed = await t.throwsAsync(async () => {
		for await (const { containerId } of client.getContainerEvents({})) ids.push(containerId);
	});
	t.is(codeOf(failed), 'OutOfRange');
	t.deepEqual(ids, ['0', '1', '2']);
	// The server ends what the client would go on with.
	const endless = async function* () {
		yield WatchService.watch.requestDeserialize(Buffer.alloc(0));
		await new Promise(() => {});
	};
	for await (const _ of client.watch(endless())) t.fail();
	client.close();
	await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
});

test('over TLS both know each other by their authority', async (t) => {
	const authority = await createAuthority({ commonName: 'ca', days: 1 }, clock);
	const { certPem, keyPem } = await issue(
		authority,
		{ commonName: 'localhost', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'], usages: ['server', 'client'], days: 1 },
		clock,
	);
	const tls = { certPem, keyPem, clientCaPem: authority.certPem };
	const server = await serveGrpc([service(SERVICE, handlers)], { address: 'tcp://127.0.0.1:0', tls, clock, log });
	t.teardown(() => server.stop());
	const address = `127.0.0.1:${server.port}`;
	const client = await grpcClient(SERVICE, { address, tls: { caPem: authority.certPem, certPem, keyPem }, clock });
	t.is((await client.version({ version: '3' })).version, 'xxx');
	const pem = Buffer.from(authority.certPem);
	const { call } = other(t, `localhost:${server.port}`, grpc.credentials.createSsl(pem, Buffer.from(keyPem), Buffer.from(certPem)));
	t.is(await call(version.path, '3'), 3);
	const stranger = await grpcClient(SERVICE, { address, tls: { caPem: authority.certPem }, clock });
	t.is(codeOf(await t.throwsAsync(stranger.version({ version: '3' }))), 'Unavailable');
	for (const one of [client, stranger]) one.close();
});

test('a client finds a server that comes, goes and comes again, and says so of calls meanwhile', async (t) => {
	const path = await socketOf(t);
	const client = await grpcClient(SERVICE, { address: path, clock });
	const away = await t.throwsAsync(client.version({ version: '1' }), {
		instanceOf: NotConnected,
		message: `connection error: desc = "transport: Error while dialing: dial unix ${path}: connect: no such file or directory"`,
	});
	t.is(codeOf(away), 'Unavailable');
	for (let life = 0; life < 2; life++) {
		const server = await serveGrpc([service(SERVICE, handlers)], { address: path, clock, log });
		t.is((await client.version({ version: '2' })).version, 'xx');
		await server.stop();
	}
	// One that dies during a call.
	const mortal = createServer().listen(path);
	await once(mortal, 'listening');
	const accepted = once(mortal, 'connection');
	const call = t.throwsAsync(client.version({ version: '1' }), { message: 'error reading from server: EOF' });
	const [socket] = (await accepted) as [Socket];
	socket.once('data', () => socket.destroy());
	t.is(codeOf(await call), 'Unavailable');
	client.close();
	t.is(codeOf(await t.throwsAsync(client.version({ version: '1' }))), 'Canceled');
	await new Promise((resolve) => mortal.close(resolve));
});

for (const [name, headers, code, message] of [
	[
		'a page',
		{ ':status': 404, 'content-type': 'text/html' },
		'Unimplemented',
		'unexpected HTTP status code received from server: 404 (Not Found)',
	],
	['a busy proxy', { ':status': 503 }, 'Unavailable', 'unexpected HTTP status code received from server: 503 (Service Unavailable)'],
	[
		'JSON',
		{ ':status': 200, 'content-type': 'application/json' },
		'Unknown',
		'transport: received unexpected content-type "application/json"',
	],
	['no type', { ':status': 200 }, 'Unknown', 'malformed header: missing HTTP content-type'],
	[
		'no answer, but well',
		{ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '0' },
		'Internal',
		'cardinality violation: received no response message from non-server-streaming RPC',
	],
	[
		'a status with no name',
		{ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '99', 'grpc-message': '100%2' },
		'Unknown',
		'100%2',
	],
] as const)
	test(`what is no answer of gRPC's is told: ${name}`, async (t) => {
		const path = await socketOf(t);
		const server = createHttp2Server();
		server.on('stream', (stream) => stream.respond(headers, { endStream: true }));
		await once(server.listen(path), 'listening');
		const client = await grpcClient(SERVICE, { address: path, clock });
		const error = await t.throwsAsync(client.version({ version: '' }), { message });
		t.is(codeOf(error), code);
		client.close();
		await new Promise<void>((resolve) => server.close(() => resolve()));
	});
