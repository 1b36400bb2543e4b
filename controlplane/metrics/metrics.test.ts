/** metrics.k8s.io: from a kubelet's text to what is used, when kubelets are asked, and the server as a front proxy meets it. */
import type { RequestListener } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import type { Node, NodeStatus, Pod } from '../../api/gen/types.ts';
import { NODES, PODS } from '../../api/resources.ts';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createClient } from '../../client/rest.ts';
import { createAuthority, issue } from '../../wire/tls/authority.ts';
import { FakeTransport } from '../../test/fakes/fake-transport.ts';
import { nodeMetrics, podMetrics, tableOf } from './kinds.ts';
import { DOCUMENTS } from './documents.ts';
import { Kubelets } from './kubelet.ts';
import { NodeLooks } from './looks.ts';
import { containerKey, pointsIn, type Point, type Points } from './points.ts';
import { MetricsProvider } from './provider.ts';
import { serveMetrics } from './server.ts';
import { containerUsage, nodeUsage } from './usage.ts';

const [serving, front] = await Promise.all([
	createAuthority({ commonName: 'ca', days: 1 }, realClock),
	createAuthority({ commonName: 'front', days: 1 }, realClock),
]);
const leaf = await issue(serving, { commonName: 'm', ipAddresses: ['127.0.0.1'], usages: ['server'], days: 1 }, realClock);
const proxy = await issue(front, { commonName: 'front-proxy-client', usages: ['client'], days: 1 }, realClock);
const kubelets = () => Promise.resolve({ cert: proxy.certPem, key: proxy.keyPem, ca: serving.certPem });
const OPTIONS = { bindAddress: '127.0.0.1', port: 0, certificate: () => leaf, frontProxyCa: front.certPem, kubelets };

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

for (const [cpu, memory, time] of [
	['1', '1.5', '1000'],
	['1', '+Inf', '1000'],
	['1', 'Inf', '1000'],
	['1', '1e300', '1000'],
	['1', '-1', '1000'],
	['1', 'NaN', '1000'],
	['1e300', '1', '1000'],
	['Infinity', '1', '1000'],
	['NaN', '1', '1000'],
	['-1', '1', '1000'],
	['1', '1', '253402300800000'],
	['1', '1', '99999999999999999999'],
] as const)
	test(`points: ${cpu} s, ${memory} bytes at ${time} are no figures`, (t) => {
		const text = `node_cpu_usage_seconds_total ${cpu} ${time}\nnode_memory_working_set_bytes ${memory} ${time}`;
		t.is(pointsIn(text, 2000).node, undefined);
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

test('a kubelet that cannot be asked is not asked again at once', async (t) => {
	const clock = new VirtualClock();
	const { signal } = new AbortController();
	let asked = 0;
	const look = async (): Promise<Points> => {
		if (asked++ === 0) throw new Error('no route to host');
		return points(clock.now(), {}, point(clock.now(), 0));
	};
	const looks = new NodeLooks({ look, clock, log: noLog, signal });
	t.is(await looks.of(NODE, signal), undefined);
	await clock.advance(9000);
	t.is(await looks.of(NODE, signal), undefined);
	t.is(asked, 1);
	await clock.advance(1000);
	const found = looks.of(NODE, signal);
	await clock.advance(1000);
	t.not(await found, undefined);
	t.is(asked, 3);
});

test('pods of several nodes: their nodes are listed once; one that cannot be read, and one that is gone, hide nobody', async (t) => {
	const clock = new VirtualClock();
	const transport = new FakeTransport(clock);
	const client = createClient(transport);
	const { signal } = new AbortController();
	for (const name of ['a', 'b', 'gone', 'dead']) {
		const pod = running('c');
		await client.create(PODS, { ...pod, metadata: { ...pod.metadata, name }, spec: { containers: [], nodeName: name } });
		if (name !== 'gone') await client.create(NODES, { metadata: { name } });
	}
	const look = async ({ metadata: { name = '' } }: Node): Promise<Points> => {
		if (name === 'dead') throw new Error('no route to host');
		const containers = new Map([[containerKey('ns', name, 'c'), point(clock.now(), clock.now() / 1000, 1)]]);
		return { at: clock.now(), node: undefined, containers };
	};
	const provider = new MetricsProvider({ client, clock, looks: new NodeLooks({ look, clock, log: noLog, signal }) });
	const before = transport.requests.length;
	const answering = provider.answer(new URL('http://x/apis/metrics.k8s.io/v1beta1/pods'), false, signal);
	await clock.advance(1000);
	const { items } = (await answering) as { items: readonly { metadata: { name: string } }[] };
	t.deepEqual(
		items.map(({ metadata }) => metadata.name),
		['a', 'b'],
	);
	t.deepEqual(
		transport.requests.slice(before).map(({ method, collection, name }) => [method, collection, name]),
		[
			['GET', '/api/v1/pods', undefined],
			['GET', '/api/v1/nodes', undefined],
		],
	);
});

/** A kubelet, and its address as its Node's status has it. */
async function kubeletThat(t: ExecutionContext, answers: RequestListener): Promise<NodeStatus> {
	const kubelet = createServer({ cert: leaf.certPem, key: leaf.keyPem }, answers);
	await new Promise<void>((resolve) => kubelet.listen(0, '127.0.0.1', resolve));
	t.teardown(async () => {
		kubelet.closeAllConnections();
		await new Promise((resolve) => kubelet.close(resolve));
	});
	return {
		addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
		daemonEndpoints: { kubeletEndpoint: { Port: (kubelet.address() as AddressInfo).port } },
	};
}

test('a kubelet that never ends its answer is read no further than a bound', async (t) => {
	const left = Promise.withResolvers<void>();
	const status = await kubeletThat(t, (_request, response) => {
		const chunk = Buffer.alloc(1 << 20, '#');
		const more = (): void => {
			while (response.write(chunk));
		};
		response.on('drain', more).once('close', left.resolve);
		more();
	});
	using asking = new Kubelets(kubelets, realClock);
	await t.throwsAsync(asking.look({ ...NODE, status }, new AbortController().signal), { code: 'ResourceExhausted' });
	await left.promise;
	t.pass('it was left');
});

test('a server that is to end before it listens ends', async (t) => {
	const client = createClient(new FakeTransport(realClock));
	await serveMetrics(OPTIONS, { client, clock: realClock, log: noLog }, AbortSignal.abort(), () => t.pass());
});

test('the server answers the front proxy, and nobody else but for its health', async (t) => {
	let looked = 0;
	const status = await kubeletThat(t, (asked, response) => {
		looked++;
		t.is(asked.url, '/metrics/resource');
		const labels = '{container="c",namespace="ns",pod="p"}';
		const at = Date.now();
		response.end(
			`node_cpu_usage_seconds_total ${looked} ${at}\nnode_memory_working_set_bytes 2048 ${at}\n` +
				`container_cpu_usage_seconds_total${labels} ${looked} ${at}\ncontainer_memory_working_set_bytes${labels} 1024 ${at}\n`,
		);
	});
	const client = createClient(new FakeTransport(realClock));
	await client.create(NODES, { ...NODE, status });
	await client.create(PODS, running('c'));
	const stop = new AbortController();
	const listening = Promise.withResolvers<number>();
	const served = serveMetrics(OPTIONS, { client, clock: realClock, log: noLog }, stop.signal, listening.resolve);
	const port = await listening.promise;
	t.teardown(async () => {
		stop.abort();
		await served;
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
		[`${root}/nodes/%`, 404, ''],
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

test('what is told in OpenAPI has no empty lists, which Go leaves out: a document stays as it is where it is read and written', (t) => {
	for (const [path, document] of DOCUMENTS) if (path.startsWith('/openapi')) t.notRegex(JSON.stringify(document), /\[\]/, path);
});
