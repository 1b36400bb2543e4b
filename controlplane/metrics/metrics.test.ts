/** metrics.k8s.io: from a kubelet's text to what is used, when kubelets are asked, and the server as a front proxy meets it. */
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import test from 'ava';
import type { Node, Pod } from '../../api/gen/types.ts';
import { NODES, PODS } from '../../api/resources.ts';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createClient } from '../../client/rest.ts';
import { createAuthority, issue } from '../../wire/tls/authority.ts';
import { FakeTransport } from '../../test/fakes/fake-transport.ts';
import { nodeMetrics, podMetrics, tableOf } from './kinds.ts';
import { NodeLooks } from './looks.ts';
import { containerKey, pointsIn, type Point, type Points } from './points.ts';
import { serveMetrics } from './server.ts';
import { containerUsage, nodeUsage } from './usage.ts';

test('points: the samples that matter, with their own times; what lacks a figure or uses no memory is left out', (t) => {
	const labels = (container: string): string => `{container="${container}",namespace="ns",pod="p"}`;
	const points = pointsIn(
		[
			'# HELP node_cpu_usage_seconds_total x',
			'node_cpu_usage_seconds_total 12.5 1000',
			'node_memory_working_set_bytes 4096 1000',
			'pod_cpu_usage_seconds_total{namespace="ns",pod="p"} 9 1000',
			`container_cpu_usage_seconds_total${labels('a')} 2 900`,
			`container_memory_working_set_bytes${labels('a')} 100 900`,
			`container_start_time_seconds${labels('a')} 0.5`,
			`container_cpu_usage_seconds_total${labels('halved')} 2`,
			`container_cpu_usage_seconds_total${labels('over')} 2`,
			`container_memory_working_set_bytes${labels('over')} 0`,
		].join('\n'),
		2000,
	);
	t.deepEqual(points.node, { at: 1000, cpuSeconds: 12.5, memoryBytes: 4096, startedAt: undefined });
	t.deepEqual([...points.containers], [['ns/p/a', { at: 900, cpuSeconds: 2, memoryBytes: 100, startedAt: 500 }]]);
});

const point = (at: number, cpuSeconds: number, startedAt?: number): Point => ({ at, cpuSeconds, memoryBytes: 1024, startedAt });
const points = (at: number, containers: Readonly<Record<string, Point>>, node?: Point): Points => ({
	at,
	node,
	containers: new Map(Object.entries(containers).map(([name, of]) => [containerKey('ns', 'p', name), of])),
});

for (const [name, earlier, later, want] of [
	['half a core over ten seconds', point(0, 1, -5), point(10_000, 6, -5), { cpuNanos: 500_000_000, windowMs: 10_000 }],
	['nothing was used', point(0, 1, -5), point(10_000, 1, -5), { cpuNanos: 0, windowMs: 10_000 }],
	['it started after the earlier look', undefined, point(10_000, 4, 2000), { cpuNanos: 500_000_000, windowMs: 8000 }],
	['it started again in between', point(0, 100, -5), point(10_000, 1, 5000), { cpuNanos: 200_000_000, windowMs: 5000 }],
	['it is old, but was not seen before', undefined, point(10_000, 4, -5), undefined],
	['it has only just started', undefined, point(10_000, 4, 9950), undefined],
	['no new figure since', point(0, 1, -5), point(0, 1, -5), undefined],
	['the counter went back', point(0, 9, -5), point(10_000, 1, -5), undefined],
] as const)
	test(`usage: ${name}`, (t) => {
		const looks = { earlier: points(0, earlier === undefined ? {} : { c: earlier }), later: points(10_000, { c: later }) };
		const usage = containerUsage(looks, 'ns', 'p', 'c');
		t.deepEqual(usage === undefined ? undefined : { cpuNanos: usage.cpuNanos, windowMs: usage.windowMs }, want);
	});

test('a node that says nothing of itself has no usage', (t) =>
	t.is(nodeUsage({ earlier: points(0, {}), later: points(1000, {}) }), undefined));

const NODE: Node = { metadata: { name: 'n', labels: { a: 'b' } } };
const running = (...names: readonly string[]): Pod => ({
	metadata: { name: 'p', namespace: 'ns', labels: { app: 'web' } },
	spec: { nodeName: 'n', containers: [] },
	status: { phase: 'Running', containerStatuses: names.map((name) => ({ name, state: { running: {} } })) as never },
});

test('objects and tables: upstream texts; of a pod all that runs must be known', (t) => {
	const looks = {
		earlier: points(0, { a: point(0, 0, -1), b: point(0, 0, -1) }, point(0, 0)),
		later: points(10_000, { a: point(10_000, 1, -1), b: point(9_500, 0.000_001, -1) }, point(10_000, 5)),
	};
	t.deepEqual(nodeMetrics(NODE, looks, 11_000), {
		kind: 'NodeMetrics',
		apiVersion: 'metrics.k8s.io/v1beta1',
		metadata: { name: 'n', labels: { a: 'b' }, creationTimestamp: '1970-01-01T00:00:11Z' },
		timestamp: '1970-01-01T00:00:10Z',
		window: '10s',
		usage: { cpu: '500m', memory: '1Ki' },
	});
	const pod = podMetrics(running('a', 'b'), looks, 11_000);
	t.deepEqual(
		pod?.containers.map(({ name, usage }) => [name, usage.cpu]),
		[
			['a', '100m'],
			['b', '105n'],
		],
	);
	t.is(pod?.window, '9.5s');
	t.is(podMetrics(running('a', 'unknown'), looks, 0), undefined);
	t.is(podMetrics(running(), looks, 0), undefined);
	const table = tableOf(pod === undefined ? [] : [pod]);
	t.deepEqual(
		table.columnDefinitions.map(({ name, format }) => [name, format]),
		[
			['Name', 'name'],
			['cpu', 'quantity'],
			['memory', 'quantity'],
			['Window', 'duration'],
		],
	);
	t.deepEqual(table.rows[0]?.cells, ['p', '100000105n', '2Ki', '9.5s']);
});

test('kubelets are asked when somebody asks: twice at first, once when the answer is old, and together', async (t) => {
	const clock = new VirtualClock();
	const stop = new AbortController();
	let asked = 0;
	const look = async (): Promise<Points> => {
		asked++;
		return points(clock.now(), {}, point(clock.now(), 0));
	};
	const looks = new NodeLooks({ look, clock, log: noLog, signal: stop.signal });
	const windowMs = async (): Promise<number | undefined> => {
		const answers = Promise.all([looks.of(NODE, stop.signal), looks.of(NODE, stop.signal)]);
		await clock.advance(1000);
		const [found] = await answers;
		return found === undefined ? undefined : found.later.at - found.earlier.at;
	};
	const rows: [number | undefined, number][] = [[await windowMs(), asked]];
	for (const pauseMs of [5000, 10_000, 3_600_000]) {
		await clock.advance(pauseMs);
		rows.push([await windowMs(), asked]);
	}
	t.deepEqual(rows, [
		[1000, 2],
		[1000, 2],
		[16_000, 3],
		[1000, 5],
	]);
});

test('the server answers the front proxy, and nobody else but for its health', async (t) => {
	const [serving, front] = await Promise.all([
		createAuthority({ commonName: 'ca', days: 1 }, realClock),
		createAuthority({ commonName: 'front', days: 1 }, realClock),
	]);
	const leaf = await issue(serving, { commonName: 'm', ipAddresses: ['127.0.0.1'], usages: ['server'], days: 1 }, realClock);
	const proxy = await issue(front, { commonName: 'front-proxy-client', usages: ['client'], days: 1 }, realClock);
	let looked = 0;
	const kubelet = createServer({ cert: leaf.certPem, key: leaf.keyPem }, (asked, response) => {
		looked++;
		t.is(asked.url, '/metrics/resource');
		const labels = '{container="c",namespace="ns",pod="p"}';
		const at = Date.now();
		response.end(
			`node_cpu_usage_seconds_total ${looked} ${at}\nnode_memory_working_set_bytes 2048 ${at}\n` +
				`container_cpu_usage_seconds_total${labels} ${looked} ${at}\ncontainer_memory_working_set_bytes${labels} 1024 ${at}\n`,
		);
	});
	await new Promise<void>((resolve) => kubelet.listen(0, '127.0.0.1', resolve));
	const { port: kubeletPort } = kubelet.address() as AddressInfo;
	const client = createClient(new FakeTransport(realClock));
	const address = {
		addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
		daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
	};
	await client.create(NODES, { ...NODE, status: address });
	await client.create(PODS, running('c'));
	const stop = new AbortController();
	const listening = Promise.withResolvers<number>();
	const served = serveMetrics(
		{
			bindAddress: '127.0.0.1',
			port: 0,
			certificate: () => leaf,
			frontProxyCa: front.certPem,
			kubelets: () => Promise.resolve({ cert: proxy.certPem, key: proxy.keyPem, ca: serving.certPem }),
		},
		{ client, clock: realClock, log: noLog },
		stop.signal,
		listening.resolve,
	);
	const port = await listening.promise;
	t.teardown(async () => {
		stop.abort();
		await served;
		kubelet.closeAllConnections();
		await new Promise((resolve) => kubelet.close(resolve));
	});
	const get = async (path: string, accept = 'application/json', keys: object = { cert: proxy.certPem, key: proxy.keyPem }) =>
		new Promise<{ status: number; body: string }>((resolve, reject) => {
			const sent = request({ host: '127.0.0.1', port, path, ca: serving.certPem, headers: { accept }, agent: false, ...keys });
			sent.once('error', reject);
			sent.once('response', (answer) => void textOf(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject));
			sent.end();
		});
	const root = '/apis/metrics.k8s.io/v1beta1';
	t.is((await get(`${root}/nodes`, 'application/json', {})).status, 401);
	for (const [target, status] of [
		['//', 401],
		['http://[', 400],
		['*', 400],
	] as const)
		t.is((await get(target, 'application/json', {})).status, status, target);
	t.is((await get('/healthz', 'application/json', {})).body, 'ok');
	const nodes = JSON.parse((await get(`${root}/nodes`)).body) as { kind: string; items: { usage: { cpu: string; memory: string } }[] };
	t.is(nodes.kind, 'NodeMetricsList');
	t.is(nodes.items[0]?.usage.memory, '2Ki');
	t.regex(nodes.items[0]?.usage.cpu ?? '', /^\d+n$/);
	const pods = JSON.parse((await get(`${root}/namespaces/ns/pods?labelSelector=app%3Dweb`)).body) as { items: { containers: unknown[] }[] };
	t.is(pods.items[0]?.containers.length, 1);
	t.is(looked, 2);
	t.regex((await get(`${root}/pods`, 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json')).body, /"kind":"Table"/);
	for (const [path, status, message] of [
		[`${root}/namespaces/ns/pods/p`, 200, ''],
		[`${root}/namespaces/ns/pods/q`, 404, 'pods.metrics.k8s.io \\"ns/q\\" not found'],
		[`${root}/nodes/m`, 404, 'nodes.metrics.k8s.io \\"m\\" not found'],
		[`${root}/nodes/n`, 200, ''],
		[`${root}/pods/p`, 404, ''],
		[`${root}/nodes?watch=true`, 405, ''],
		[root, 200, '"kind":"PodMetrics"'],
		['/openapi/v2', 200, 'io.k8s.metrics.pkg.apis.metrics.v1beta1.NodeMetrics'],
		[`/openapi/v3${root}`, 200, '/namespaces/{namespace}/pods/{name}'],
	] as const) {
		const answer = await get(path);
		t.is(answer.status, status, path);
		t.true(answer.body.includes(message), answer.body);
	}
});
