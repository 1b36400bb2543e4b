import test from 'ava';
import { API_SERVICES, COMPONENT_STATUSES, NAMESPACES, PODS, SERVICE_ACCOUNTS, SERVICES } from '../../../api/resources.ts';
import { realClock } from '../../../base/clock.ts';
import { readText } from '../../../base/lines.ts';
import { noLog } from '../../../base/log.ts';
import { createMetrics } from '../../../base/metrics.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';
import type { Encoded, Store } from '../../storage/store.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { eventually } from '../../../test/tools/eventually.ts';
import { measuredStore } from './measured-store.ts';
import { diskMetrics } from './store-metrics.ts';

const stop = new AbortController();
const { client, stopped } = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
test.after.always(async () => {
	stop.abort();
	await stopped;
});

/** What follows the name on the lines of a metric. */
async function lines(name: string): Promise<readonly string[]> {
	const { body } = await client.transport.request({ method: 'GET', path: '/metrics' }, stop.signal);
	return (await readText(body))
		.split('\n')
		.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
		.map((line) => line.slice(name.length));
}

test('deprecated APIs are named once they were asked for', async (t) => {
	const components = async (): Promise<readonly string[]> =>
		(await lines('apiserver_requested_deprecated_apis')).filter((line) => line.includes('componentstatuses'));
	t.deepEqual(await components(), []);
	await client.list(COMPONENT_STATUSES);
	t.deepEqual(await components(), ['{group="",version="v1",resource="componentstatuses",subresource="",removed_release=""} 1']);
});

test.serial('addresses and ports of Services are counted', async (t) => {
	const read = async (): Promise<readonly number[]> =>
		Promise.all(
			[
				'clusterip_allocator_allocated_ips',
				'clusterip_allocator_available_ips',
				'nodeport_allocator_allocated_ports',
				'nodeport_allocator_available_ports',
			].map(async (name) => Number((await lines(`kube_apiserver_${name}`))[0]?.split(' ')[1])),
		);
	const [ips = 0, freeIps = 0, ports = 0, freePorts = 0] = await read();
	t.is(ips + freeIps, 254);
	t.is(ports + freePorts, 2768);
	await client.create(SERVICES, {
		metadata: { name: 's', namespace: 'default' },
		spec: { type: 'NodePort', ports: [{ port: 80 }, { name: 'b', port: 81 }].map((port, i) => ({ name: `p${i}`, ...port })) },
	});
	t.deepEqual(await read(), [ips + 1, freeIps - 1, ports + 2, freePorts - 2]);
});

test('aggregated APIs that cannot be reached are told', async (t) => {
	const spec = {
		...{ group: 'x.io', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 10, insecureSkipTLSVerify: true },
		service: { name: 'nowhere', namespace: 'default' },
	};
	await client.create(API_SERVICES, { metadata: { name: 'v1.x.io' }, spec });
	const unavailable = async (): Promise<readonly string[]> => lines('aggregator_unavailable_apiservice_total');
	await eventually('it is counted', async () => (await unavailable()).length > 0);
	t.deepEqual(await unavailable(), ['{name="v1.x.io",reason="ServiceNotFound"} 1']);
	const gauge = await lines('aggregator_unavailable_apiservice');
	t.true(gauge.includes('{name="v1.x.io"} 1'));
	t.true(gauge.includes('{name="v1.apps"} 0'));
});

test.serial('evaluations of pod security are counted', async (t) => {
	const labels = { 'pod-security.kubernetes.io/enforce': 'baseline', 'pod-security.kubernetes.io/warn': 'restricted' };
	await client.create(NAMESPACES, { metadata: { name: 'guarded', labels } });
	await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: 'guarded' } });
	const pod = (name: string, spec: object): Promise<unknown> =>
		client
			.create(PODS, { metadata: { name, namespace: 'guarded' }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } })
			.catch(() => undefined);
	await pod('a', {});
	await pod('b', { hostNetwork: true });
	const request = 'request_operation="create",resource="pod",subresource=""';
	t.deepEqual((await lines('pod_security_evaluations_total')).toSorted(), [
		`{decision="allow",mode="enforce",policy_level="baseline",policy_version="latest",${request}} 1`,
		`{decision="deny",mode="enforce",policy_level="baseline",policy_version="latest",${request}} 1`,
		`{decision="deny",mode="warn",policy_level="restricted",policy_version="latest",${request}} 1`,
	]);
});

test('commits are counted by what they write, and failures that are no answers', async (t) => {
	const registry = createMetrics();
	const clock = new VirtualClock();
	const memory = createMemoryStore(clock);
	const store = measuredStore(memory, registry, clock);
	const value: Encoded = { bytes: new Uint8Array([123, 125]), versionAt: 1, labels: {}, fields: {} };
	const revision = await store.commit([{ key: '/core/pods/n/a', expect: 'absent', value }]);
	await t.throwsAsync(store.commit([{ key: '/core/pods/n/a', expect: 'absent', value }]));
	const next = await store.commit([{ key: '/core/pods/n/a', expect: revision, value }]);
	await store.commit([{ key: '/core/pods/n/a', expect: next }]);
	await store.commit([{ key: '/apps/deployments/n/a', expect: 'absent', value }]);
	await store.close();
	await t.throwsAsync(store.commit([{ key: '/apps/deployments/n/a', expect: 'absent', value }]));
	const of = async (name: string): Promise<readonly string[]> =>
		(await registry.metrics())
			.split('\n')
			.filter((line) => line.startsWith(`${name}{`))
			.map((line) => line.slice(name.length));
	t.deepEqual((await of('etcd_requests_total')).toSorted(), [
		'{operation="create",group="",resource="pods"} 2',
		'{operation="create",group="apps",resource="deployments"} 2',
		'{operation="delete",group="",resource="pods"} 1',
		'{operation="update",group="",resource="pods"} 1',
	]);
	t.deepEqual(await of('etcd_request_errors_total'), ['{operation="create",group="apps",resource="deployments"} 1']);
	t.is((await of('etcd_request_duration_seconds_count')).length, 4);
	for (const name of ['apiserver_storage_events_received_total', 'apiserver_watch_cache_events_received_total'])
		t.deepEqual((await of(name)).toSorted(), ['{group="",resource="pods"} 3', '{group="apps",resource="deployments"} 1']);
});

test('on a store that others write to as well, what they write is counted too', async (t) => {
	const registry = createMetrics();
	const clock = new VirtualClock();
	const memory = Object.assign(createMemoryStore(clock), { shared: true });
	const store = measuredStore(memory, registry, clock);
	const value: Encoded = { bytes: new Uint8Array([123, 125]), versionAt: 1, labels: {}, fields: {} };
	await store.commit([{ key: '/core/pods/n/a', expect: 'absent', value }]);
	await memory.commit([{ key: '/core/pods/n/b', expect: 'absent', value }]);
	await memory.compact(memory.revision());
	await memory.commit([{ key: '/core/nodes/c', expect: 'absent', value }]);
	const text = await registry.metrics();
	for (const line of ['resource="pods"} 2', 'resource="nodes"} 1'])
		t.true(text.includes(`apiserver_storage_events_received_total{group="",${line}\n`));
	t.false(text.includes('resource="nodes",le='));
	await store.close();
});

for (const [what, store, want] of [
	['on disk', { diskBytes: () => Promise.resolve(4096) }, ['apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} 4096']],
	['that does not answer', { diskBytes: () => Promise.reject(new Error('gone')) }, []],
	['in memory only', {}, []],
] as const)
	test(`the size of a store ${what}`, async (t) => {
		const registry = createMetrics();
		diskMetrics(registry, store as unknown as Store);
		const text = await registry.metrics();
		t.deepEqual(
			text.split('\n').filter((line) => line.startsWith('apiserver_storage_size_bytes')),
			want,
		);
	});
