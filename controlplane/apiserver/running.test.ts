/** A running server over TLS: what it tells of itself, how it stops, and that a flood by one user does not stop the others. */
import { Agent, get as httpsGet, type RequestOptions } from 'node:https';
import { connect, type ClientHttp2Session } from 'node:http2';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { CONFIG_MAPS, FLOW_SCHEMAS, NODES, PRIORITY_LEVEL_CONFIGURATIONS } from '../../api/resources.ts';
import { realClock, type Clock } from '../../base/clock.ts';
import { createLog } from '../../base/log.ts';
import { timeoutOf } from './request/deadline.ts';
import { testApiServer, type TestApiServer } from '../../test/fakes/api-server.ts';
import { eventually } from '../../test/tools/eventually.ts';

const log = createLog({ level: 'error' });

const SHUTDOWN_DELAY_MS = 70_007;

interface Answer {
	readonly status: number;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	readonly body: string;
}

function get(server: TestApiServer, path: string, options: RequestOptions = {}): Promise<Answer> {
	const headers = { authorization: `Bearer ${server.token}`, ...options.headers };
	return new Promise((resolve, reject) => {
		httpsGet(`${server.url}${path}`, { ca: server.ca, ...options, headers }, (message) => {
			text(message).then((body) => resolve({ status: message.statusCode ?? 0, headers: message.headers, body }), reject);
		}).once('error', reject);
	});
}

/** The value of the series that has these labels. */
function valueOf(metrics: string, name: string, labels: Readonly<Record<string, string>>): number | undefined {
	const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
	const line = metrics.split('\n').find((l) => /^[a-z_]+/.exec(l)?.[0] === name && wanted.every((label) => l.includes(label)));
	return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')));
}

const impersonating = (user: string, ...groups: string[]): Record<string, string | string[]> => ({
	'Impersonate-User': user,
	'Impersonate-Group': groups,
});

test('health, readiness, metrics and debugging pages of a running server; then it stops', async (t) => {
	const stop = new AbortController();
	t.teardown(() => stop.abort());
	const delay = Promise.withResolvers<void>();
	const clock: Clock = {
		now: () => realClock.now(),
		monotonic: () => realClock.monotonic(),
		sleep: (ms, signal) => (ms === SHUTDOWN_DELAY_MS ? delay.promise : realClock.sleep(ms, signal)),
		after: (ms, fn) => realClock.after(ms, fn),
		random: () => realClock.random(),
		uuid: () => realClock.uuid(),
	};
	const server = await testApiServer({ port: 0, clock, log, standard: { shutdownDelayMs: SHUTDOWN_DELAY_MS } }, stop.signal);
	await eventually('the server is ready', async () => (await get(server, '/readyz')).status === 200);
	for (const [path, status] of [
		['/healthz', 200],
		['/version', 405],
		['/api', 405],
		['/apis', 200],
		['/apis/apps/v1', 405],
		['/openid/v1/jwks', 405],
		['/api/v1/namespaces/default', 405],
		['/api/v1/namespaces/default/configmaps', 405],
	] as const)
		t.is((await get(server, path, { method: 'HEAD' })).status, status, `HEAD ${path}`);
	const anybody = impersonating('system:anonymous', 'system:unauthenticated');
	for (const [method, status] of [
		['GET', 200],
		['HEAD', 403],
	] as const)
		t.is((await get(server, '/livez', { method, headers: anybody })).status, status, `${method} by anybody`);
	const asked = await get(server, '/api/v1/namespaces/default', { method: 'OPTIONS', headers: anybody });
	t.regex(asked.body, /User \\"system:anonymous\\" cannot {2}resource \\"namespaces\\"/);
	for (const [method, path] of [
		['PUT', 'pods/p/log'],
		['DELETE', 'pods/p/exec'],
		['REPORT', 'pods/p/proxy/x'],
		['GET', 'pods/p/eviction'],
		['PATCH', 'pods/p/binding'],
		['OPTIONS', 'pods/p/log'],
		['DELETE', 'serviceaccounts/default/token'],
	] as const)
		t.is((await get(server, `/api/v1/namespaces/default/${path}`, { method })).status, 405, `${method} ${path}`);
	const ready = await get(server, '/readyz?verbose');
	t.is(ready.status, 200);
	for (const name of [
		'ping',
		'log',
		'etcd',
		'etcd-readiness',
		'informer-sync',
		'poststarthook/rbac/bootstrap-roles',
		'poststarthook/priority-and-fairness-config-consumer',
		'shutdown',
	])
		t.true(ready.body.includes(`[+]${name} ok\n`), name);
	t.true((await get(server, '/livez?verbose')).body.includes('[+]loopback-serving-certificate ok\n'));
	t.is((await get(server, '/livez/etcd')).body, 'ok');
	t.is((await get(server, '/livez/shutdown')).status, 404);
	const health = await get(server, '/livez', { headers: impersonating('system:anonymous', 'system:unauthenticated') });
	t.is(health.status, 200);
	const stranger = impersonating('jane');
	for (const path of ['/metrics', '/debug/pprof/', '/debug/api_priority_and_fairness/dump_priority_levels'])
		t.is((await get(server, path, { headers: stranger })).status, 403, path);
	const levels = await get(server, '/debug/api_priority_and_fairness/dump_priority_levels');
	t.regex(levels.body, /^PriorityLevelName, ActiveQueues, .*\ncatch-all, /);
	await get(server, '/api/v1/namespaces/default/configmaps/none');
	await server.client.create(
		CONFIG_MAPS,
		{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'c' } },
		{ dryRun: true },
	);
	const { body: metrics } = await get(server, '/metrics');
	const post = {
		verb: 'POST',
		resource: 'configmaps',
		scope: 'resource',
		component: 'apiserver',
		version: 'v1',
		group: '',
		subresource: '',
	};
	for (const [name, labels, value] of [
		['apiserver_request_total', { ...post, verb: 'GET', dry_run: '', code: '404' }, undefined],
		['apiserver_request_total', { ...post, dry_run: 'All', code: '201' }, 1],
		['apiserver_request_duration_seconds_count', post, undefined],
		['apiserver_response_sizes_count', { ...post, verb: 'GET' }, undefined],
		['apiserver_storage_objects', { resource: 'namespaces' }, 4],
		['apiserver_current_inflight_requests', { request_kind: 'readOnly' }, undefined],
		['apiserver_flowcontrol_dispatched_requests_total', { priority_level: 'exempt', flow_schema: 'exempt' }, undefined],
		['apiserver_flowcontrol_nominal_limit_seats', { priority_level: 'workload-low' }, 245],
		['apiserver_flowcontrol_priority_level_seat_utilization_count', { phase: 'executing', priority_level: 'exempt' }, undefined],
		[
			'apiserver_admission_controller_admission_duration_seconds_count',
			{ name: 'NamespaceLifecycle', operation: 'CREATE', rejected: 'false', type: 'admit' },
			undefined,
		],
		['apiserver_admission_step_admission_duration_seconds_count', { operation: 'CREATE', rejected: 'false', type: 'validate' }, undefined],
		['authentication_attempts', { result: 'success' }, undefined],
		['authorization_attempts_total', { result: 'no-opinion' }, 5],
		['authenticated_user_requests', { username: 'admin' }, undefined],
		['process_resident_memory_bytes', {}, undefined],
		['kubernetes_build_info', { major: '1', minor: '36' }, 1],
		['version_info', { component: 'kube', emulation: '1.36', min_compat: '1.35' }, 1],
		['pod_security_exemptions_total', { resource: 'pod', request_operation: 'create' }, 0],
		['aggregator_discovery_nopeer_requests_total', {}, 0],
		['apiserver_nodeport_repair_reconcile_errors_total', {}, 0],
	] as const) {
		const found = valueOf(metrics, name, labels);
		t.true(value === undefined ? found !== undefined && found > 0 : found === value, `${name} ${JSON.stringify(labels)}: ${found}`);
	}
	const slis = (await get(server, '/metrics/slis')).body;
	t.regex(slis, /^kubernetes_healthcheck\{name="etcd",type="readyz"\} 1$/m);
	t.regex(slis, /^process_start_time_seconds \d+/m);
	stop.abort();
	const late = await eventually('it is not ready any more', async () => {
		const answer = await get(server, '/readyz');
		return answer.status === 500 && answer;
	});
	t.true(late.body.includes('[-]shutdown failed: reason withheld\n'));
	t.is((await get(server, '/livez')).status, 200);
	delay.resolve();
	await server.stopped;
	await t.throwsAsync(get(server, '/livez', { agent: new Agent() }), { code: 'ECONNREFUSED' });
});

test('flow schemas and levels are told of and kept up', async (t) => {
	const stop = new AbortController();
	t.teardown(() => stop.abort());
	const server = await testApiServer({ port: 0, clock: realClock, log }, stop.signal);
	const { client } = server;
	const condition = (name: string) =>
		eventually(`a condition of ${name}`, async () => (await client.get(FLOW_SCHEMAS, name)).status?.conditions?.[0]);
	t.like(await condition('catch-all'), { type: 'Dangling', status: 'False', reason: 'Found' });
	const spec = {
		priorityLevelConfiguration: { name: 'own' },
		matchingPrecedence: 7,
		distinguisherMethod: { type: 'ByUser' },
		rules: [{ subjects: [{ kind: 'User', user: { name: 'jane' } }], nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] }],
	};
	await client.create(FLOW_SCHEMAS, { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'FlowSchema', metadata: { name: 'own' }, spec });
	t.like(await condition('own'), { status: 'True', reason: 'NotFound' });
	const uidOf = async () => (await get(server, '/version', { headers: impersonating('jane') })).headers['x-kubernetes-pf-flowschema-uid'];
	t.is(await uidOf(), (await client.get(FLOW_SCHEMAS, 'global-default')).metadata.uid);
	await client.create(PRIORITY_LEVEL_CONFIGURATIONS, {
		apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
		kind: 'PriorityLevelConfiguration',
		metadata: { name: 'own' },
		spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
	});
	const own = (await client.get(FLOW_SCHEMAS, 'own')).metadata.uid;
	await eventually('its schema is taken', async () => (await uidOf()) === own);
	await eventually('it dangles no more', async () => (await condition('own')).status === 'False');
	stop.abort();
	await server.stopped;
});

function ask(session: ClientHttp2Session, headers: Record<string, string | string[]>): Promise<number> {
	return new Promise((resolve, reject) => {
		const stream = session.request(headers);
		let status = 0;
		stream.on('response', (got) => void (status = Number(got[':status'])));
		stream.on('data', () => undefined);
		stream.once('end', () => resolve(status));
		stream.once('error', reject);
		stream.end();
	});
}

test('while one user floods the server with lists, nodes and the scheduler are served', async (t) => {
	const stop = new AbortController();
	t.teardown(() => stop.abort());
	const server = await testApiServer(
		{ port: 0, clock: realClock, log, standard: { fairness: { maxRequests: 40, maxMutatingRequests: 20 } } },
		stop.signal,
	);
	const value = 'x'.repeat(2000);
	await Promise.all(
		Array.from({ length: 200 }, (_, i) =>
			server.client.create(CONFIG_MAPS, {
				apiVersion: 'v1',
				kind: 'ConfigMap',
				metadata: { namespace: 'default', name: `c-${i}` },
				data: { value },
			}),
		),
	);
	await server.client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
	await server.client.create(
		{
			group: 'rbac.authorization.k8s.io',
			version: 'v1',
			kind: 'ClusterRoleBinding',
			plural: 'clusterrolebindings',
			namespaced: false,
			subresources: [],
		},
		{
			apiVersion: 'rbac.authorization.k8s.io/v1',
			kind: 'ClusterRoleBinding',
			metadata: { name: 'm' },
			roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
			subjects: [{ kind: 'User', name: 'mallory' }],
		} as never,
	);
	const open = (): ClientHttp2Session => connect(server.url, { ca: server.ca });
	const as = (user: string, ...groups: string[]) => ({ authorization: `Bearer ${server.token}`, ...impersonating(user, ...groups) });
	const flood = open();
	const others = open();
	t.teardown(() => flood.destroy());
	t.teardown(() => others.destroy());
	let flooded = false;
	const codes = new Map<number, number>();
	let answered = 0;
	const flooding = Array.from({ length: 150 }, async () => {
		while (!flooded) {
			const code = await ask(flood, { ':path': '/api/v1/configmaps', ...as('mallory') });
			codes.set(code, (codes.get(code) ?? 0) + 1);
			answered++;
		}
	});
	const waiting = (): number => server.server.fairness?.levels.get('global-default')?.queues.waiting.count ?? 0;
	await eventually('more than 100 wait', async () => waiting() > 100);
	/** How many of the flood were answered before the others were. */
	const overtakes: number[] = [];
	while (overtakes.length < 30) {
		const before = answered;
		const got = await Promise.all([
			ask(others, { ':path': '/api/v1/nodes/n1', ...as('system:node:n1', 'system:nodes') }),
			ask(others, { ':path': '/api/v1/nodes', ...as('system:kube-scheduler') }),
		]);
		t.deepEqual(got, [200, 200]);
		overtakes.push(answered - before);
	}
	flooded = true;
	await Promise.all(flooding);
	flood.close();
	others.close();
	overtakes.sort((x, y) => x - y);
	t.log(`${overtakes.join(' ')}; ${JSON.stringify([...codes])}`);
	t.true((overtakes[15] ?? Infinity) < 50, 'nobody of the others stands behind those who wait');
	t.true((codes.get(200) ?? 0) > 0);
	stop.abort();
	await server.stopped;
});

for (const [query, want] of [
	['', 60_000],
	['timeout=5s', 5000],
	['timeout=2m', 60_000],
	['timeout=-5s', 60_000],
	['timeout=abc', 'invalid timeout specified in the request URL - time: invalid duration "abc"'],
] as const)
	test(`the time a request may take: ?${query}`, (t) => {
		if (typeof want === 'number') {
			t.is(timeoutOf(new URLSearchParams(query)), want);
			t.is(timeoutOf(new URLSearchParams(query), 1000), Math.min(want, 1000));
		} else t.throws(() => timeoutOf(new URLSearchParams(query)), { message: want });
	});
