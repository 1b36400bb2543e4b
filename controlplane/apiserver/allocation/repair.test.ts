/** Repairs on virtual time: what somebody broke in the store is put right and told of, and what clients do is nothing to tell of. */
import test, { type ExecutionContext } from 'ava';
import type { IPAddress, ServiceSpec } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { EVENTS, IP_ADDRESSES, SERVICE_CIDRS, SERVICES } from '../../../api/resources.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { Client } from '../../../client/client.ts';
import type { Store, Write } from '../../storage/store.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { encode } from '../answer/canonical.ts';
import { NODE_PORTS_KEY, portsValue } from './node-ports.ts';
import { PortBitmap } from './port-bitmap.ts';

interface World {
	readonly clock: VirtualClock;
	readonly client: Client;
	readonly store: Store;
	/** Lets what is due be done, a second of it. */
	readonly settle: (ms?: number) => Promise<void>;
	/** Component, object, reason and message of each. */
	readonly events: () => Promise<readonly string[]>;
	readonly make: (name: string, spec?: Partial<ServiceSpec>) => Promise<string>;
	/** Writes past the API. */
	readonly put: (key: string, object: KubeObject | undefined) => Promise<unknown>;
	readonly metric: (name: string) => Promise<string | undefined>;
}

async function world(
	t: ExecutionContext,
	{ store, standard = {} }: { store?: Store; standard?: object } = {},
): Promise<World & { stop: () => Promise<void> }> {
	const clock = new VirtualClock();
	const used = store ?? createMemoryStore(clock);
	const abort = new AbortController();
	const { client, stopped } = await testApiServer({ clock, log: noLog, store: used, standard }, abort.signal);
	const stop = async (): Promise<void> => {
		abort.abort();
		await stopped;
	};
	t.teardown(stop);
	const settle: World['settle'] = async (ms = 2000) => {
		for (let i = 0; i < 4; i++) await clock.advance(ms / 4);
	};
	await settle();
	return {
		...{ clock, client, store: used, settle, stop },
		async events() {
			const { items } = await client.list(EVENTS, {});
			return items
				.filter(({ source }) => /repair/.test(source?.component ?? ''))
				.map(({ type, reason, message, source, involvedObject: { kind, name }, count = 1 }) => {
					t.is(type, 'Warning');
					return `${source?.component} ${kind} ${name} ${reason}: ${message}${count > 1 ? ` (${count})` : ''}`;
				})
				.toSorted();
		},
		async make(name, spec = {}) {
			const service = { metadata: { name, namespace: 'default' }, spec: { ports: [{ port: 80 }], ...spec } };
			return (await client.create(SERVICES, service)).spec?.clusterIP ?? '';
		},
		put(key, object) {
			const expect = used.get(key)?.revision ?? 'absent';
			const write: Write =
				object === undefined ? { key, expect: expect as bigint } : { key, expect, value: encode(object, { labels: {}, fields: {} }) };
			return used.commit([write]);
		},
		async metric(name) {
			const { body } = await client.transport.request({ method: 'GET', path: '/metrics' }, abort.signal);
			const chunks: Buffer[] = [];
			for await (const chunk of body) chunks.push(chunk as Buffer);
			return Buffer.concat(chunks)
				.toString()
				.split('\n')
				.find((line) => line.startsWith(name))
				?.split(' ')[1];
		},
	};
}

const BY = 'ipallocator-repair-controller';
const BY_PORTS = 'portallocator-repair-controller';
const addressKey = (name: string): string => `/networking.k8s.io/ipaddresses/${name}`;
const serviceKey = (name: string): string => `/core/services/default/${name}`;

const made = ({ metadata: { name, labels }, spec }: IPAddress & KubeObject): unknown => [name, labels, spec?.parentRef];
const right = (address: string, name: string): unknown => [
	address,
	{ 'ipaddress.kubernetes.io/ip-family': 'IPv4', 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' },
	{ resource: 'services', namespace: 'default', name },
];

/** An IPAddress as somebody else may have written it. */
const address = (name: string, parentRef: object, labels?: object, at = '2026-01-01T00:00:00Z'): KubeObject =>
	({
		...{ apiVersion: 'networking.k8s.io/v1', kind: 'IPAddress' },
		metadata: {
			...{ name, uid: `uid-${name}`, creationTimestamp: at },
			labels: labels ?? { 'ipaddress.kubernetes.io/ip-family': 'IPv4', 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' },
		},
		spec: { parentRef },
	}) as KubeObject;

test('what clients do with Services is nothing to tell of', async (t) => {
	const { client, make, settle, events, clock } = await world(t, { standard: { serviceCidr: '10.0.0.0/24,fd00::/112' } });
	for (let i = 0; i < 5; i++) {
		await make(`s${i}`, { ipFamilyPolicy: 'PreferDualStack', type: 'NodePort' });
		await settle();
		const spec = { type: 'ExternalName', externalName: 'a.b', clusterIP: null, clusterIPs: null } as object;
		if (i === 1) await client.patch(SERVICES, 'default/s1', { type: 'merge', body: { spec } });
		if (i === 2) await client.patch(SERVICES, 'default/s2', { type: 'merge', body: { spec: { ipFamilyPolicy: 'SingleStack' } } });
		if (i === 3) await client.patch(SERVICES, 'default/s3', { type: 'merge', body: { spec: { type: 'ClusterIP' } } });
		if (i < 3) await client.delete(SERVICES, `default/s${i}`);
		if (i === 0) await make('s0', { type: 'NodePort' });
	}
	await settle(600_000);
	t.deepEqual(await events(), []);
	const waiting = clock.pending;
	await make('one', { type: 'NodePort' });
	await client.delete(SERVICES, 'default/one');
	await settle(600_000);
	t.deepEqual(await events(), []);
	t.is(clock.pending, waiting, 'nothing waits for a time to look again');
});

test('an address that is gone, wrongly marked or of somebody else is made anew, at once', async (t) => {
	const { client, make, settle, events, put } = await world(t);
	const a = await make('a');
	await client.delete(IP_ADDRESSES, a);
	await settle();
	t.deepEqual(made(await client.get(IP_ADDRESSES, a)), right(a, 'a'));
	const want = [`${BY} Service a ClusterIPNotAllocated: Cluster IP [IPv4]: ${a} is not allocated; repairing`];
	t.deepEqual(await events(), want);

	const { uid } = (await client.get(IP_ADDRESSES, a)).metadata;
	await client.patch(IP_ADDRESSES, a, { type: 'merge', body: { metadata: { labels: { 'ipaddress.kubernetes.io/managed-by': 'me' } } } });
	await settle();
	const marked = await client.get(IP_ADDRESSES, a);
	t.deepEqual(made(marked), right(a, 'a'));
	t.not(marked.metadata.uid, uid, 'another object');
	t.deepEqual(await events(), want, 'upstream tells nothing of labels');

	for (const [name, parent] of [
		['gateway', { group: 'gateway.networking.k8s.io', resource: 'gateways', namespace: 'default', name: 'g' }],
		['gone', { resource: 'services', namespace: 'default', name: 'none' }],
	] as const) {
		const one = await make(name);
		await put(addressKey(one), address(one, parent, {}));
		await settle();
		t.deepEqual(made(await client.get(IP_ADDRESSES, one)), right(one, name));
		want.push(
			`${BY} Service ${name} ClusterIPNotAllocated: the ClusterIP [IPv4]: ${one} for Service default/${name} has a wrong reference; repairing`,
		);
		t.deepEqual(await events(), want.toSorted());
	}
});

test('an address that names another Service is removed, told of, and made anew for the one that has it', async (t) => {
	const { client, make, settle, events, put } = await world(t);
	const [a] = [await make('a'), await make('b')];
	await put(addressKey(a), address(a, { resource: 'services', namespace: 'default', name: 'b' }));
	await settle();
	t.deepEqual(made(await client.get(IP_ADDRESSES, a)), right(a, 'a'));
	t.deepEqual(await events(), [
		`${BY} IPAddress ${a} IPAddressWrongReference: IPAddress: ${a} for Service default/b has a wrong reference; cleaning up`,
		`${BY} Service a ClusterIPNotAllocated: Cluster IP [IPv4]: ${a} is not allocated; repairing`,
	]);
});

test('an address without a Service goes after a minute, one that others manage stays', async (t) => {
	const { client, settle, events, put, clock } = await world(t);
	const at = new Date(clock.now()).toISOString().replace('.000', '');
	const none = { resource: 'services', namespace: 'default', name: 'none' };
	await put(addressKey('10.0.0.77'), address('10.0.0.77', none, undefined, at));
	await put(addressKey('10.0.0.78'), address('10.0.0.78', none, { 'ipaddress.kubernetes.io/managed-by': 'me' }, at));
	await settle(50_000);
	t.is((await client.get(IP_ADDRESSES, '10.0.0.77')).metadata.name, '10.0.0.77');
	t.deepEqual(await events(), []);
	await settle(12_000);
	t.deepEqual(await events(), [
		`${BY} IPAddress 10.0.0.77 IPAddressNotAllocated: IPAddress: 10.0.0.77 for Service default/none appears to have leaked: cleaning up`,
	]);
	t.deepEqual(
		(await client.list(IP_ADDRESSES, {})).items.map(({ metadata }) => metadata.name),
		['10.0.0.1', '10.0.0.78'],
	);
});

test('addresses that people have to put right are told of again while they stand', async (t) => {
	const { client, make, settle, events, put } = await world(t);
	const a = await make('a');
	const stored = await client.get(SERVICES, 'default/a');
	const copy = (name: string, ip: string): KubeObject =>
		({
			...{ apiVersion: 'v1', kind: 'Service' },
			metadata: { ...stored.metadata, name, uid: `uid-${name}`, resourceVersion: undefined },
			spec: { ...stored.spec, clusterIP: ip, clusterIPs: [ip] },
		}) as KubeObject;
	await put(serviceKey('double'), copy('double', a));
	await put(serviceKey('far'), copy('far', '10.9.0.1'));
	await put(serviceKey('odd'), copy('odd', 'x'));
	await settle();
	const want = [
		`${BY} Service double ClusterIPAlreadyAllocated: Cluster IP [IPv4]:${a} was assigned to multiple services; please recreate service`,
		`${BY} Service far ClusterIPOutOfRange: Cluster IP [IPv4]: 10.9.0.1 is not within any configured Service CIDR; please recreate service`,
		`${BY} Service odd ClusterIPNotValid: Cluster IP <nil> is not a valid IP; please recreate Service`,
	];
	t.deepEqual(await events(), want);
	await settle(180_000);
	t.deepEqual(
		await events(),
		want.map((one) => `${one} (2)`),
	);
	// With its range, the far one only lacks its object.
	await client.create(SERVICE_CIDRS, { metadata: { name: 'second' }, spec: { cidrs: ['10.9.0.0/24'] } });
	await settle();
	t.deepEqual(made(await client.get(IP_ADDRESSES, '10.9.0.1')), right('10.9.0.1', 'far'));
	t.true((await events()).includes(`${BY} Service far ClusterIPNotAllocated: Cluster IP [IPv4]: 10.9.0.1 is not allocated; repairing`));
});

test("node ports: what is missing is written down, what is wrong told of, and what is nobody's freed after a while", async (t) => {
	const { client, make, settle, events, store, clock, put, metric } = await world(t);
	await make('a', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_100 }] });
	const stored = await client.get(SERVICES, 'default/a');
	const copy = (name: string, nodePort: number): KubeObject =>
		({
			...{ apiVersion: 'v1', kind: 'Service' },
			metadata: { ...stored.metadata, name, uid: `uid-${name}`, resourceVersion: undefined },
			spec: { ...stored.spec, clusterIP: 'None', clusterIPs: ['None'], ports: [{ ...stored.spec?.ports?.[0], nodePort }] },
		}) as KubeObject;
	await put(serviceKey('missing'), copy('missing', 30_200));
	await put(serviceKey('same'), copy('same', 30_100));
	await put(serviceKey('out'), copy('out', 20_000));
	await settle();
	const told = (times: string) => [
		`${BY_PORTS} Service missing PortNotAllocated: Port 30200 is not allocated; repairing`,
		`${BY_PORTS} Service out PortOutOfRange: Port 20000 is not within the port range 30000-32767; please recreate service${times}`,
		`${BY_PORTS} Service same PortAlreadyAllocated: Port 30100 was assigned to multiple services; please recreate service${times}`,
	];
	t.deepEqual(await events(), told(''));
	const taken = (): readonly number[] => {
		const { data } = JSON.parse(Buffer.from(store.get(NODE_PORTS_KEY)?.value.bytes ?? []).toString()) as { data: string };
		return PortBitmap.read([30_000, 32_767], data).ports;
	};
	t.deepEqual(taken(), [30_100, 30_200]);
	await make('b', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_101 }] });
	await settle();
	t.deepEqual(await events(), told(''), 'not again for what others do');

	const value = portsValue(new PortBitmap([30_000, 32_767], [30_100, 30_101, 30_200, 31_000]), clock.now());
	await store.commit([{ key: NODE_PORTS_KEY, expect: store.get(NODE_PORTS_KEY)?.revision ?? 'absent', value }]);
	await settle();
	t.deepEqual(taken(), [30_100, 30_101, 30_200, 31_000], 'it may be for a Service that is on its way');
	await settle(200_000);
	t.deepEqual(await events(), told(' (2)'));
	await settle(200_000);
	t.deepEqual(taken(), [30_100, 30_101, 30_200]);
	const wrong = (type: string): Promise<string | undefined> => metric(`apiserver_nodeport_repair_port_errors_total{type="${type}"}`);
	t.deepEqual([await wrong('repair'), await wrong('leak')], ['1', '1']);
	t.is(await metric('apiserver_nodeport_repair_reconcile_errors_total'), '0');
	await client.delete(SERVICES, 'default/a');
	await settle();
	t.deepEqual(taken(), [30_100, 30_101, 30_200], 'the port is that of the other one now');
});

test('a server that is told of another range of node ports keeps those of Services and writes down the new one', async (t) => {
	const clock = new VirtualClock();
	const store = createMemoryStore(clock);
	const first = await world(t, { store });
	for (const nodePort of [30_100, 30_200]) await first.make(`p${nodePort}`, { type: 'NodePort', ports: [{ port: 80, nodePort }] });
	await first.stop();
	const { settle, events, make, client } = await world(t, { store, standard: { nodePorts: [30_150, 30_250] } });
	const read = (): { range?: string; data?: string } =>
		JSON.parse(Buffer.from(store.get(NODE_PORTS_KEY)?.value.bytes ?? []).toString()) as object;
	await settle();
	t.is(read().range, '30150-30250');
	t.deepEqual(PortBitmap.read([30_150, 30_250], read().data ?? '').ports, [30_200]);
	t.deepEqual(await events(), [
		`${BY_PORTS} Service p30100 PortOutOfRange: Port 30100 is not within the port range 30150-30250; please recreate service`,
	]);
	await t.throwsAsync(make('taken', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_200 }] }), { message: /already allocated/ });
	await client.patch(SERVICES, 'default/p30100', { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
	t.deepEqual(PortBitmap.read([30_150, 30_250], read().data ?? '').ports, [30_200]);
});

test('two servers that are told of different ranges of node ports write each its own once an interval', async (t) => {
	const clock = new VirtualClock();
	const store = createMemoryStore(clock);
	const { settle } = await world(t, { store, standard: { nodePorts: [30_000, 30_100] } });
	const other = await world(t, { store, standard: { nodePorts: [30_000, 30_200] } });
	await settle();
	await other.settle();
	const writes = async (ms: number): Promise<bigint> => {
		const before = store.get(NODE_PORTS_KEY)?.revision ?? 0n;
		let count = 0n;
		for (let last = before, passed = 0; passed < ms; passed += 1000) {
			await settle(1000);
			await other.settle(1000);
			const now = store.get(NODE_PORTS_KEY)?.revision ?? 0n;
			if (now !== last) count++;
			last = now;
		}
		return count;
	};
	await writes(10_000);
	t.is(await writes(150_000), 0n);
	const later = await writes(200_000);
	t.true(later > 0n && later <= 4n, String(later));
});
