/** Which spans there are, what they say, and how they come to a collector: whole lives on virtual time, and a real gRPC server. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import { realClock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { Transport } from '../../client/transport.ts';
import { playing } from '../../test/fakes/playing.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { RuntimeServiceService } from '../../wire/gen/cri.ts';
import { TraceServiceService, type ExportTraceServiceRequest } from '../../wire/gen/otlp-trace.ts';
import { grpcClient } from '../../wire/grpc/client.ts';
import type { Handlers } from '../../wire/grpc/method.ts';
import { serveGrpc, service } from '../../wire/grpc/server.ts';
import { Collector } from '../gc/collector.ts';
import { tracedTransport } from './api-spans.ts';
import { criSpans } from './cri-spans.ts';
import { requestOf, TraceExporter } from './exporter.ts';
import type { EndedSpan } from './span.ts';
import { createTracer, isSampled, podSpan } from './tracer.ts';

const UPPER = [1, 2, 3, 4, 5, 6, 7, 8];
const id = (...lower: readonly number[]): Uint8Array => Uint8Array.from([...UPPER, ...lower]);
const [LOWEST, MIDDLE, HIGHEST] = [id(0, 0, 0, 0, 0, 0, 0, 0), id(128, 0, 0, 0, 0, 0, 0, 0), id(255, 255, 255, 255, 255, 255, 255, 255)];

for (const [name, traceId, perMillion, want] of [
	['none of none', LOWEST, 0, false],
	['the lowest of one in a million', LOWEST, 1, true],
	['the middle of a half', MIDDLE, 500_000, false],
	['the middle of more than a half', MIDDLE, 500_001, true],
	['the highest of nearly all', HIGHEST, 999_999, false],
	['the highest of all', HIGHEST, 1_000_000, true],
] as const)
	test(`isSampled(): ${name}`, (t) => t.is(isSampled(traceId, perMillion), want));

test('a span lasts as long as its work, and says what the work threw; what is not sampled leaves none', async (t) => {
	const clock = new VirtualClock(Date.UTC(2026, 0, 1));
	const ended: EndedSpan[] = [];
	const tracer = createTracer(1_000_000, clock, (span) => ended.push(span));
	const working = tracer.within({ scope: 's', name: 'n' }, async () => (await clock.sleep(1500), 7));
	await clock.advance(1500);
	t.is(await working, 7);
	await t.throwsAsync(
		tracer.within({ scope: 's', name: 'm' }, () => Promise.reject(new TypeError('no'))),
		{ message: 'no' },
	);
	t.deepEqual(
		ended.map(({ name, startMs, endMs, error }) => [name, startMs, endMs - startMs, error]),
		[
			['n', Date.UTC(2026, 0, 1), 1500, undefined],
			['m', Date.UTC(2026, 0, 1) + 1500, 0, { type: 'TypeError', message: 'no' }],
		],
	);
	t.deepEqual(
		ended.map((s) => [s.traceId.length, s.spanId.length]),
		[
			[16, 8],
			[16, 8],
		],
	);
	t.notDeepEqual(ended[0]?.traceId, ended[1]?.traceId);
	t.is(await createTracer(0, clock, () => t.fail()).within({ scope: 's', name: 'n' }, () => Promise.resolve(8)), 8);
});

test('a pod that comes and goes leaves the spans of its rounds; so do the collections', async (t) => {
	const { node } = await playing({ script: () => ({ stopMs: 10 }) });
	await using _ = node;
	const ended: EndedSpan[] = [];
	Object.assign(node.context, { tracer: createTracer(1_000_000, node.clock, (span) => ended.push(span)) });
	await node.create('p');
	await node.advance(2000);
	const uid = node.pod('p')?.metadata.uid ?? '';
	await node.delete('p', 1);
	await node.advance(5000);
	const names = ended.map(({ name }) => name);
	t.deepEqual([...new Set(names)], ['syncPod', 'syncTerminatingPod', 'syncTerminatedPod']);
	const pod = { 'k8s.pod.uid': uid, 'k8s.pod': 'n/p', 'k8s.pod.name': 'p', 'k8s.namespace.name': 'n' };
	t.deepEqual(ended[0]?.attributes, { ...pod, 'k8s.pod.update_type': 'create' });
	t.deepEqual(ended[names.indexOf('syncTerminatingPod')]?.attributes, pod);
	t.is(ended[0]?.scope, 'k8s.io/kubernetes/pkg/kubelet');
	ended.length = 0;
	const stop = new AbortController();
	const collector = new Collector({ context: node.context, workers: node.workers, known: () => true, event: () => {} });
	const collecting = collector.run(stop.signal);
	await node.advance(300_500);
	stop.abort();
	await collecting;
	t.deepEqual(
		new Set(ended.map(({ scope, name }) => `${scope}: ${name}`)),
		new Set([
			'k8s.io/kubernetes/pkg/kubelet/kuberuntime: Containers/GarbageCollect',
			'k8s.io/kubernetes/pkg/kubelet/images: Images/GarbageCollect',
		]),
	);
});

test("children are of their parent's trace, told as it is; who is called is told whose they are", async (t) => {
	const clock = new VirtualClock();
	const ended: EndedSpan[] = [];
	for (const [perMillion, flag] of [
		[1_000_000, '01'],
		[0, '00'],
	] as const) {
		const tracer = createTracer(perMillion, clock, (span) => ended.push(span));
		await tracer.within({ scope: 's', name: 'parent' }, async (parent) => {
			await Promise.resolve();
			const child = tracer.open({ scope: 's', name: 'child', kind: 'client' });
			const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
			t.is(child.traceparent, `00-${hex(parent.context.traceId)}-${hex(child.context.spanId)}-${flag}`);
			for (let i = 0; i < 130; i++) child.event('e', { i });
			child.set({ n: 1 });
			child.end();
			child.end();
		});
		tracer.open({ scope: 's', name: 'alone' }).end();
	}
	const [child, parent, alone] = ended;
	t.deepEqual(
		ended.map(({ name }) => name),
		['child', 'parent', 'alone'],
	);
	t.deepEqual([child?.parentSpanId, child?.traceId], [parent?.spanId, parent?.traceId]);
	t.is(alone?.parentSpanId, undefined);
	t.notDeepEqual(alone?.traceId, parent?.traceId);
	t.deepEqual([child?.attributes, child?.events?.length, child?.events?.[0]?.attributes], [{ n: 1 }, 128, { i: 2 }]);
});

test('calls of the runtime are children of what they are for, and carry its trace; without a tracer they carry none', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-traces-'));
	t.teardown(() => rm(folder, { recursive: true }));
	const address = join(folder, 's');
	const handlers = service(RuntimeServiceService, {
		...({} as Handlers<typeof RuntimeServiceService>),
		version: () => Promise.resolve({ version: '0.1.0', runtimeName: 'r', runtimeVersion: '1', runtimeApiVersion: 'v1' }),
		reopenContainerLog: () => Promise.reject(new AppError('NotFound', 'no such container')),
		async *getContainerEvents() {
			yield* [{ containerId: 'c', containerEventType: 0, createdAt: 0n, podSandboxStatus: undefined, containersStatuses: [] } as const];
		},
	});
	const server = await serveGrpc([handlers], { address, clock: realClock, log: noLog });
	t.teardown(() => server.stop());
	const ended: EndedSpan[] = [];
	const tracer = createTracer(1_000_000, realClock, (span) => ended.push(span));
	const observe = criSpans(tracer, `unix://${address}`);
	const client = await grpcClient(RuntimeServiceService, { address, clock: realClock, goErrors: true, observe });
	t.teardown(() => client.close());
	await tracer.within({ scope: 's', name: 'syncPod' }, async () => {
		await client.version({ version: 'v1' });
		await t.throwsAsync(client.reopenContainerLog({ containerId: 'c' }), { message: /NotFound/ });
		for await (const _ of client.getContainerEvents({}));
	});
	const [version, reopen, events, round] = ended;
	t.deepEqual(
		ended.map(({ name, kind }) => [name, kind]),
		[
			['runtime.v1.RuntimeService/Version', 'client'],
			['runtime.v1.RuntimeService/ReopenContainerLog', 'client'],
			['runtime.v1.RuntimeService/GetContainerEvents', 'client'],
			['syncPod', undefined],
		],
	);
	for (const call of [version, reopen, events]) t.deepEqual(call?.parentSpanId, round?.spanId);
	const said = { 'rpc.system.name': 'grpc', 'server.address': address };
	t.deepEqual(version?.attributes, { 'rpc.method': version?.name ?? '', ...said, 'rpc.response.status_code': 'OK' });
	t.deepEqual([reopen?.attributes?.['rpc.response.status_code'], reopen?.error], ['NotFound', { message: 'no such container' }]);
	t.is(version?.error, undefined);
	const messages = (span: EndedSpan | undefined): unknown =>
		span?.events?.map(({ name, attributes: a }) => [name, a['rpc.message.type'], a['rpc.message.id'], a['rpc.message.uncompressed_size']]);
	t.deepEqual(messages(version), [
		['message', 'SENT', 1, 4],
		['message', 'RECEIVED', 1, 17],
	]);
	t.deepEqual(messages(reopen), [['message', 'SENT', 1, 3]]);
	t.deepEqual(events?.attributes?.['rpc.response.status_code'], 'OK');
});

test('requests to the API server are children of what they are for, carry its trace, and last until their answer is read', async (t) => {
	const clock = new VirtualClock();
	const ended: EndedSpan[] = [];
	const tracer = createTracer(1_000_000, clock, (span) => ended.push(span));
	const sent: unknown[] = [];
	const waited: unknown[] = [];
	const transport: Transport = {
		request({ path, headers }) {
			if (path === '/gone') return Promise.reject(new AppError('Unavailable', 'connection refused'));
			sent.push(headers?.['traceparent']);
			return Promise.resolve({ status: path === '/none' ? 404 : 200, headers: {}, warnings: [], body: Readable.from([Buffer.from('x')]) });
		},
		upgrade: () => Promise.reject(new Error('not here')),
		close: () => Promise.resolve(),
		waited: (...given) => void waited.push(given),
	};
	const traced = tracedTransport(transport, tracer, 'https://10.0.0.1:6443');
	const { signal } = new AbortController();
	await tracer.within({ scope: 's', name: 'syncPod' }, async () => {
		const { body } = await traced.request({ method: 'GET', path: '/api/v1/pods?limit=5' }, signal);
		t.is(ended.length, 0);
		for await (const _ of body);
	});
	const { body } = await traced.request({ method: 'POST', path: '/none' }, signal);
	for await (const _ of body) break;
	await t.throwsAsync(traced.request({ method: 'GET', path: '/gone' }, signal), { message: 'connection refused' });
	traced.waited?.('GET', 5);
	t.deepEqual(waited, [['GET', 5]]);
	const [list, round, none, gone] = ended;
	t.deepEqual([list?.name, list?.kind, list?.parentSpanId, list?.error], ['HTTP GET', 'client', round?.spanId, undefined]);
	t.deepEqual(list?.attributes, {
		'http.request.method': 'GET',
		'url.full': 'https://10.0.0.1:6443/api/v1/pods?limit=5',
		'server.address': '10.0.0.1',
		'server.port': 6443,
		'network.protocol.version': '1.1',
		'http.response.status_code': 200,
	});
	t.deepEqual([none?.attributes?.['error.type'], none?.error, none?.parentSpanId], ['404', { message: '' }, undefined]);
	t.deepEqual([gone?.attributes?.['error.type'], gone?.error], ['AppError', { message: 'connection refused' }]);
	const hex = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('hex');
	t.is(sent[0], `00-${hex(list?.traceId)}-${hex(list?.spanId)}-01`);
});

test('the trace goes with a call to the runtime, and nothing does where spans are not told', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-traces-'));
	t.teardown(() => rm(folder, { recursive: true }));
	const address = join(folder, 's');
	const seen: unknown[] = [];
	const server = createServer().on('stream', (stream, headers) => {
		seen.push(headers['traceparent']);
		stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' }, { endStream: true });
	});
	await once(server.listen(address), 'listening');
	t.teardown(() => server.close());
	const ended: EndedSpan[] = [];
	const observe = criSpans(
		createTracer(1_000_000, realClock, (span) => ended.push(span)),
		address,
	);
	for (const given of [{ observe }, {}]) {
		const client = await grpcClient(RuntimeServiceService, { address, clock: realClock, ...given });
		await t.throwsAsync(client.version({ version: 'v1' }));
		client.close();
	}
	const hex = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('hex');
	t.deepEqual(seen, [`00-${hex(ended[0]?.traceId)}-${hex(ended[0]?.spanId)}-01`, undefined]);
});

test('requestOf(): the node, then spans by scope', (t) => {
	const span = { traceId: id(), spanId: new Uint8Array(8), startMs: 1.5, endMs: 2.5 };
	const { resourceSpans } = requestOf('node', [
		{
			...span,
			...podSpan('syncPod', { metadata: { name: 'p', namespace: 'n', uid: 'u' } } as never, 'sync'),
			error: { type: 'Error', message: 'no' },
		},
		{ ...span, scope: 'other', name: 'x' },
	]);
	const [{ resource, scopeSpans } = t.fail() as never] = resourceSpans;
	t.deepEqual(
		resource?.attributes.map(({ key, value }) => `${key}=${value?.value?.value}`),
		['service.name=kubelet', 'host.name=node'],
	);
	t.deepEqual(
		scopeSpans.map(({ scope, spans }) => [scope?.name, ...spans.map(({ name }) => name)]),
		[
			['k8s.io/kubernetes/pkg/kubelet', 'syncPod'],
			['other', 'x'],
		],
	);
	const failed = scopeSpans[0]?.spans[0];
	const call = {
		...span,
		scope: 'c',
		name: 'call',
		kind: 'client' as const,
		parentSpanId: id(),
		attributes: { size: 3 },
		error: { message: 'no' },
	};
	const told = requestOf('node', [call]).resourceSpans[0]?.scopeSpans[0]?.spans[0];
	t.like(told, { kind: 3, parentSpanId: Buffer.from(id()), events: [], status: { message: 'no', code: 2 } });
	t.deepEqual(told?.attributes, [{ key: 'size', value: { value: { $case: 'intValue', value: 3n } } }]);
	t.like(failed, { kind: 1, flags: 0x101, startTimeUnixNano: 1_500_000n, endTimeUnixNano: 2_500_000n, status: { message: 'no', code: 2 } });
	t.deepEqual(
		failed?.events.map(({ name, attributes }) => [name, ...attributes.map(({ key, value }) => `${key}=${value?.value?.value}`)]),
		[['exception', 'exception.type=Error', 'exception.message=no']],
	);
});

async function collectorIn(t: ExecutionContext): Promise<{ readonly address: string; readonly got: ExportTraceServiceRequest[] }> {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-traces-'));
	t.teardown(() => rm(folder, { recursive: true }));
	const got: ExportTraceServiceRequest[] = [];
	const handlers = service(TraceServiceService, {
		export(request) {
			got.push(request);
			return Promise.resolve({ partialSuccess: undefined });
		},
	});
	const address = join(folder, 's');
	const server = await serveGrpc([handlers], { address, clock: realClock, log: noLog });
	t.teardown(() => server.stop());
	return { address, got };
}

/** Its time stands still: none of its bounds is over before the collector has answered. */
const exporterTo = (endpoint: string): TraceExporter =>
	new TraceExporter({ endpoint, perMillion: 1_000_000, nodeName: 'node', clock: new VirtualClock(), log: noLog });

const spansIn = (got: readonly ExportTraceServiceRequest[]): readonly number[] =>
	got.map(({ resourceSpans }) => resourceSpans.flatMap((r) => r.scopeSpans.flatMap((s) => s.spans)).length);

test('a collector gets five hundred spans at a time, at once, and the last when the agent ends', async (t) => {
	const { address, got } = await collectorIn(t);
	const exporter = exporterTo(address);
	const stop = new AbortController();
	const running = exporter.run(stop.signal);
	for (let i = 0; i < 520; i++) await exporter.tracer.within({ scope: 's', name: String(i) }, () => Promise.resolve());
	await eventually('a full batch', async () => got.length === 1);
	stop.abort();
	await running;
	t.deepEqual(spansIn(got), [512, 8]);
});

test('a collector may listen in the abstract namespace of sockets', async (t) => {
	const name = `/kubeling-traces-${process.pid}`;
	const asked = Promise.withResolvers<unknown>();
	const server = createServer().on('stream', (stream, headers) => {
		asked.resolve(headers[':path']);
		stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' }, { endStream: true });
	});
	await once(server.listen(`\0${name}`), 'listening');
	t.teardown(() => server.close());
	const given = { perMillion: 1_000_000, nodeName: 'node', clock: realClock, log: noLog };
	const exporter = new TraceExporter({ ...given, endpoint: `unix-abstract://${name}` });
	exporter.tracer.open({ scope: 's', name: 'n' }).end();
	await exporter.run(AbortSignal.abort());
	t.is(await asked.promise, '/opentelemetry.proto.collector.trace.v1.TraceService/Export');
	const client = await grpcClient(TraceServiceService, { address: `unix-abstract://${name}-not`, clock: realClock });
	t.teardown(() => client.close());
	await t.throwsAsync(client.export({ resourceSpans: [] }), { message: new RegExp(`dial unix @${name}-not: connect: connection refused`) });
});

test('the agent ends: all that waits is handed over, however many batches it makes', async (t) => {
	const { address, got } = await collectorIn(t);
	const exporter = exporterTo(address);
	for (let i = 0; i < 1100; i++) await exporter.tracer.within({ scope: 's', name: String(i) }, () => Promise.resolve());
	await exporter.run(AbortSignal.abort());
	t.deepEqual(spansIn(got), [512, 512, 76]);
});

test('without a collector spans are lost and told of, no more than 2,048 are kept, and nothing waits', async (t) => {
	const clock = new VirtualClock();
	const warnings: unknown[] = [];
	const log = { ...noLog, warn: (...given: unknown[]) => void warnings.push(given) };
	const given = { endpoint: '/nowhere/s', perMillion: 1_000_000, nodeName: 'node', clock, log };
	const exporter = new TraceExporter(given);
	for (let i = 0; i < 3000; i++) await exporter.tracer.within({ scope: 's', name: 'n' }, () => Promise.resolve());
	const stop = new AbortController();
	const running = exporter.run(stop.signal);
	await eventually('four batches given up', async () => {
		await clock.advance(10_000);
		return warnings.length === 4;
	});
	t.true(
		warnings.every((warning) => JSON.stringify(warning).includes('"spans":512')),
		JSON.stringify(warnings),
	);
	stop.abort();
	await running;
	t.is(clock.pending, 0);
});
