import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { AppError, codeOf } from '../../base/errors.ts';
import { noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { RegistrationService } from '../gen/pluginregistration.ts';
import { WatchService } from '../gen/etcd-rpc.ts';
import { ImageServiceService, RuntimeServiceService } from '../gen/cri.ts';
import { targetOf } from './dial.ts';
import { grpcClient } from './client.ts';
import { service, serveGrpc, type BoundService } from './server.ts';
import { saidBy } from './status.ts';

async function withSocket(run: (path: string) => Promise<void>): Promise<void> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-grpc-'));
	try {
		await run(join(dir, 'x.sock'));
	} finally {
		await rm(dir, { recursive: true, force: true });
	}
}

function registration(getInfo: () => Promise<{ type: string; name: string; endpoint: string; supportedVersions: string[] }>): BoundService {
	return service(RegistrationService, {
		getInfo,
		notifyRegistrationStatus: () => Promise.reject(new AppError('Unimplemented', 'not here')),
	});
}

test('unary calls travel over a unix socket, errors keep their code', async (t) =>
	withSocket(async (path) => {
		await writeFile(path, ''); // a stale file is replaced
		const seen: string[] = [];
		const server = await serveGrpc(
			[registration(async () => ({ type: 'CSIPlugin', name: 'x', endpoint: '/e', supportedVersions: ['1'] }))],
			{
				address: `unix://${path}`,
				clock: realClock,
				log: noLog,
				onCall: ({ method, code }) => seen.push(`${method} ${code}`),
			},
		);
		const client = await grpcClient(RegistrationService, { address: path, clock: realClock });
		t.like(await client.getInfo({}), { name: 'x', supportedVersions: ['1'] });
		const error = await t.throwsAsync(client.notifyRegistrationStatus({ pluginRegistered: true, error: '' }), { message: 'not here' });
		t.is(codeOf(error), 'Unimplemented');
		t.deepEqual(seen, [
			'/pluginregistration.Registration/GetInfo OK',
			'/pluginregistration.Registration/NotifyRegistrationStatus Unimplemented',
		]);
		await t.throwsAsync(serveGrpc([], { address: path, clock: realClock, log: noLog }), { message: /Another process serves/ });
		client.close();
		await server.stop();
	}));

test("errors in the words of Go's clients, with the server's own beside them", async (t) =>
	withSocket(async (path) => {
		const silent = (): Promise<never> => new Promise(() => {});
		const server = await serveGrpc([registration(silent)], { address: path, clock: realClock, log: noLog });
		const client = await grpcClient(RegistrationService, { address: path, clock: realClock, goErrors: true });
		const refused = await t.throwsAsync(client.notifyRegistrationStatus({ pluginRegistered: true, error: '' }), {
			message: 'rpc error: code = Unimplemented desc = not here',
		});
		t.is(codeOf(refused), 'Unimplemented');
		t.is(saidBy(refused), 'not here');
		const late = await t.throwsAsync(client.getInfo({}, { timeoutMs: 30 }), {
			message: 'rpc error: code = DeadlineExceeded desc = context deadline exceeded',
		});
		t.is(saidBy(late), 'context deadline exceeded');
		t.is(saidBy(new Error('other')), 'other');
		const stop = new AbortController();
		const call = client.getInfo({}, { signal: stop.signal });
		stop.abort(new Error('enough'));
		await t.throwsAsync(call, { message: 'enough' });
		client.close();
		await server.stop();
	}));

test('a deadline and a cancel reach both sides', async (t) =>
	withSocket(async (path) => {
		const reasons: string[] = [];
		const waiting = Promise.withResolvers<void>();
		const service1 = service(RegistrationService, {
			getInfo: (_request, { signal }) =>
				new Promise((_resolve, reject) => {
					waiting.resolve();
					signal.addEventListener('abort', () => {
						reasons.push(codeOf(signal.reason));
						reject(signal.reason as Error);
					});
				}),
			notifyRegistrationStatus: async () => ({}),
		});
		const server = await serveGrpc([service1], { address: path, clock: realClock, log: noLog });
		const client = await grpcClient(RegistrationService, { address: path, clock: realClock });
		t.is(codeOf(await t.throwsAsync(client.getInfo({}, { timeoutMs: 30 }))), 'DeadlineExceeded');
		const stop = new AbortController();
		const call = client.getInfo({}, { signal: stop.signal });
		await waiting.promise;
		stop.abort(new AppError('Canceled', 'enough'));
		t.is((await t.throwsAsync(call))?.message, 'enough');
		client.close();
		await server.stop();
		t.true(reasons.length >= 1);
	}));

test('a handler that was told to end ends as it was told, whatever it says of it', async (t) =>
	withSocket(async (path) => {
		const clock = new VirtualClock();
		const asked = Promise.withResolvers<void>();
		const service1 = service(RegistrationService, {
			getInfo: (_request, { signal }) =>
				new Promise((_resolve, reject) => {
					signal.addEventListener('abort', () => reject(new AppError('Canceled', 'given up')));
					asked.resolve();
				}),
			notifyRegistrationStatus: async () => ({}),
		});
		const server = await serveGrpc([service1], { address: path, clock, log: noLog });
		const client = await grpcClient(RegistrationService, { address: path, clock: realClock });
		const call = client.getInfo({}, { timeoutMs: 60_000 });
		await asked.promise;
		await clock.advance(60_000); // it is late by the server's clock alone
		t.is(codeOf(await t.throwsAsync(call)), 'DeadlineExceeded');
		client.close();
		await server.stop();
	}));

test('a call that was answered is cancelled by nobody', async (t) =>
	withSocket(async (path) => {
		const signals: AbortSignal[] = [];
		const service1 = service(RegistrationService, {
			getInfo: async (_request, { signal }) => {
				signals.push(signal);
				return { type: 'CSIPlugin', name: 'x', endpoint: '/e', supportedVersions: ['1'] };
			},
			notifyRegistrationStatus: (_request, { signal }) => {
				signals.push(signal);
				return Promise.reject(new AppError('Aborted', 'not now'));
			},
		});
		const server = await serveGrpc([service1], { address: path, clock: realClock, log: noLog });
		const client = await grpcClient(RegistrationService, { address: path, clock: realClock });
		await client.getInfo({});
		await t.throwsAsync(client.notifyRegistrationStatus({ pluginRegistered: true, error: '' }));
		await client.getInfo({});
		client.close();
		await server.stop(); // all streams are closed by now
		t.deepEqual(
			signals.map(({ aborted }) => aborted),
			[false, false, false],
		);
	}));

test('streams flow, end, and are cancelled by whoever stops reading', async (t) =>
	withSocket(async (path) => {
		let stopped = false;
		const unimplemented = (): Promise<never> => Promise.reject(new AppError('Unimplemented', 'no'));
		const handlers = new Proxy(
			{
				async *getContainerEvents(_request: unknown, { signal }: { signal: AbortSignal }) {
					try {
						for (let i = 0; i < 1000 && !signal.aborted; i++)
							yield {
								containerId: String(i),
								containerEventType: 0,
								createdAt: BigInt(i),
								podSandboxStatus: undefined,
								containersStatuses: [],
							};
					} finally {
						stopped = true;
					}
				},
			} as never,
			{ get: (target, name) => (target as Record<string | symbol, unknown>)[name] ?? unimplemented },
		);
		const server = await serveGrpc(
			[service(RuntimeServiceService, handlers), service(ImageServiceService, new Proxy({} as never, { get: () => unimplemented }))],
			{
				address: path,
				clock: realClock,
				log: noLog,
			},
		);
		const client = await grpcClient(RuntimeServiceService, { address: path, clock: realClock });
		const ids: string[] = [];
		for await (const event of client.getContainerEvents({})) ids.push(event.containerId);
		t.is(ids.length, 1000);
		t.true(stopped);
		stopped = false;
		for await (const event of client.getContainerEvents({})) if (event.containerId === '3') break;
		client.close();
		await server.stop();
		t.true(stopped);
	}));

const EVENT = { containerEventType: 0, createdAt: 0n, podSandboxStatus: undefined, containersStatuses: [] };

test('a stream that fails half-way gives what it had, then its error', async (t) =>
	withSocket(async (path) => {
		const failing = {
			async *getContainerEvents() {
				yield { ...EVENT, containerId: 'a' };
				throw new AppError('NotFound', 'no more');
			},
		};
		const server = await serveGrpc([service(RuntimeServiceService, failing as never)], { address: path, clock: realClock, log: noLog });
		const client = await grpcClient(RuntimeServiceService, { address: path, clock: realClock });
		const ids: string[] = [];
		const error = await t.throwsAsync(
			async () => {
				for await (const event of client.getContainerEvents({})) ids.push(event.containerId);
			},
			{ message: 'no more' },
		);
		t.is(codeOf(error), 'NotFound');
		t.deepEqual(ids, ['a']);
		client.close();
		await server.stop();
	}));

test('requests and responses stream both ways at once, and both ends see the end', async (t) =>
	withSocket(async (path) => {
		const watch = {
			async *watch(requests: AsyncIterable<unknown>) {
				let watchId = 0n;
				for await (const _request of requests) yield { ...(response as object), watchId: watchId++ };
			},
		};
		const response = WatchService.watch.responseDeserialize(Buffer.alloc(0));
		const request = WatchService.watch.requestDeserialize(Buffer.alloc(0));
		const server = await serveGrpc([service(WatchService, watch as never)], { address: path, clock: realClock, log: noLog });
		const client = await grpcClient(WatchService, { address: path, clock: realClock });
		const answered: bigint[] = [];
		let next = Promise.withResolvers<void>();
		const requests = async function* (): AsyncGenerator<typeof request> {
			for (let i = 0; i < 3; i++) {
				yield request;
				await next.promise; // the next request waits for the answer to this one
				next = Promise.withResolvers();
			}
		};
		for await (const { watchId } of client.watch(requests())) {
			answered.push(watchId);
			next.resolve();
		}
		t.deepEqual(answered, [0n, 1n, 2n]);
		const broken = async function* (): AsyncGenerator<typeof request> {
			yield request;
			throw new AppError('Aborted', 'the source broke');
		};
		await t.throwsAsync(
			async () => {
				for await (const _response of client.watch(broken())) continue;
			},
			{ message: 'the source broke' },
		);
		client.close();
		await server.stop();
	}));

for (const [address, want] of [
	['/run/x', { kind: 'unix', path: '/run/x' }],
	['unix:///run/x', { kind: 'unix', path: '/run/x' }],
	['unix:run/x', { kind: 'unix', path: 'run/x' }],
	['unix-abstract:///x', { kind: 'unix', path: '\0/x' }],
	['unix-abstract:x', { kind: 'unix', path: '\0x' }],
	['localhost:4317', { kind: 'tcp', host: 'localhost', port: 4317, address: 'localhost:4317' }],
	['[::1]:1', { kind: 'tcp', host: '::1', port: 1, address: '[::1]:1' }],
] as const)
	test(`targetOf(): ${address}`, (t) => t.deepEqual(targetOf(address), want));
