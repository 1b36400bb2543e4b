/** Which spans there are, what they say, and how they come to a collector: whole lives on virtual time, and a real gRPC server. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { playing } from '../../test/fakes/playing.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { TraceServiceService, type ExportTraceServiceRequest } from '../../wire/gen/otlp-trace.ts';
import { serveGrpc, service } from '../../wire/grpc/server.ts';
import { Collector } from '../gc/collector.ts';
import { requestOf, TraceExporter } from './exporter.ts';
import { createTracer, isSampled, podSpan, type EndedSpan } from './tracer.ts';

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
		resource?.attributes.map(({ key, value }) => `${key}=${value?.stringValue}`),
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
	t.like(failed, { kind: 1, flags: 0x101, startTimeUnixNano: 1_500_000n, endTimeUnixNano: 2_500_000n, status: { message: 'no', code: 2 } });
	t.deepEqual(
		failed?.events.map(({ name, attributes }) => [name, ...attributes.map(({ key, value }) => `${key}=${value?.stringValue}`)]),
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
