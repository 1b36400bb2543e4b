import test from 'ava';
import { ENDPOINT_SLICES, ENDPOINTS, LEASES } from '../../../api/resources.ts';
import { noLog } from '../../../base/log.ts';
import { idle, VirtualClock } from '../../../base/virtual-clock.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import { builtInKinds } from '../registry/built-in-kinds.ts';
import { RESOURCES } from '../../../api/resources.ts';
import { KeyLayout } from '../stored/key-layout.ts';
import { IdentityLease, serverIdentity } from './identity-lease.ts';
import { LEASES_PREFIX, MasterLeases, PEERS_PREFIX } from './master-leases.ts';

test('leases lie where upstream keeps them', (t) => {
	const layout = new KeyLayout('/registry/', builtInKinds(RESOURCES));
	t.is(layout.toKey(`${LEASES_PREFIX}192.0.2.1`), '/registry/masterleases/192.0.2.1');
	t.is(layout.fromKey('/registry/masterleases/192.0.2.1'), `${LEASES_PREFIX}192.0.2.1`);
	t.is(layout.toKey(`${PEERS_PREFIX}apiserver-x`), '/registry/peerserverleases/apiserver-x');
});

/** The store as several servers share it. */
function shared(store: Store): Store {
	return new Proxy(store, {
		get(target, name) {
			const value: unknown = name === 'shared' ? true : Reflect.get(target, name, target);
			return typeof value === 'function' ? (value.bind(target) as unknown) : value;
		},
	});
}

test('the kubernetes Service has the servers that live; one that stops takes itself away, one that dies ends', async (t) => {
	const clock = new VirtualClock(Date.UTC(2026, 0, 1), 1, () => idle(40));
	const store = shared(createMemoryStore(clock));
	const server = async (advertiseAddress: string) => {
		const own = new AbortController();
		const { client, stopped } = await testApiServer({ clock, log: noLog, store, standard: { advertiseAddress } }, own.signal);
		return { client, stopped, stop: () => own.abort() };
	};
	const pass = async (ms: number): Promise<void> => {
		for (let i = 0; i < 10; i++) await clock.advance(ms / 10);
	};
	const reader = await server('192.0.2.1');
	const { client } = reader;
	const addresses = async () => {
		const endpoints = await client.get(ENDPOINTS, 'default/kubernetes');
		const slice = await client.get(ENDPOINT_SLICES, 'default/kubernetes');
		const shown = (endpoints.subsets ?? []).flatMap((s) => (s.addresses ?? []).map((a) => a.ip));
		t.deepEqual(
			(slice.endpoints ?? []).flatMap((e) => e.addresses),
			shown,
		);
		return shown;
	};
	await pass(100);
	t.deepEqual(await addresses(), ['192.0.2.1']);
	const second = await server('192.0.2.2');
	await pass(100);
	t.deepEqual(await addresses(), ['192.0.2.1', '192.0.2.2']);
	await pass(60_000);
	const { resourceVersion } = (await client.get(ENDPOINTS, 'default/kubernetes')).metadata;
	await pass(60_000);
	t.is((await client.get(ENDPOINTS, 'default/kubernetes')).metadata.resourceVersion, resourceVersion);
	second.stop();
	await pass(100);
	await second.stopped;
	t.deepEqual(await addresses(), ['192.0.2.1']);
	// It never says good-bye.
	await new MasterLeases({ store, address: '192.0.2.9', port: 6443 }).renew(new AbortController().signal);
	await pass(11_000);
	t.deepEqual(await addresses(), ['192.0.2.1', '192.0.2.9']);
	await pass(20_000);
	t.deepEqual(await addresses(), ['192.0.2.1']);
	await client.delete(ENDPOINTS, 'default/kubernetes');
	await pass(100);
	t.deepEqual(await addresses(), ['192.0.2.1'], 'what is deleted comes back');
	reader.stop();
	await pass(100);
	await reader.stopped;
	t.deepEqual(await addresses(), []);
	t.is(store.list(LEASES_PREFIX, {}).entries.length, 0);
	t.is(store.list(PEERS_PREFIX, {}).entries.length, 0);
	await store.close();
	t.is(clock.pending, 0);
});

test('servers of one address and several ports do not fight over the port', async (t) => {
	const clock = new VirtualClock(Date.UTC(2026, 0, 1), 1, () => idle(40));
	const store = shared(createMemoryStore(clock));
	const stop = new AbortController();
	t.teardown(() => stop.abort());
	const serve = async (advertisePort: number) => testApiServer({ clock, log: noLog, store, standard: { advertisePort } }, stop.signal);
	const one = await serve(6443);
	const shown = async () => {
		const { subsets, metadata } = await one.client.get(ENDPOINTS, 'default/kubernetes');
		return { port: subsets?.[0]?.ports?.[0]?.port, version: metadata.resourceVersion };
	};
	await clock.advance(15_000);
	t.is((await shown()).port, 6443);
	const two = await serve(6444);
	await clock.advance(15_000);
	const { port, version } = await shown();
	t.is(port, 6444, 'the newest');
	await clock.advance(60_000);
	t.deepEqual(await shown(), { port, version });
	stop.abort();
	await Promise.all([one.stopped, two.stopped]);
});

test('a server on a shared store takes its lease once it serves and gives it back before it stops', async (t) => {
	const clock = new VirtualClock();
	const memory = createMemoryStore(clock);
	const stop = new AbortController();
	const { client, stopped } = await testApiServer({ clock, log: noLog, store: shared(memory) }, stop.signal);
	await clock.advance(1000);
	t.is((await client.get(ENDPOINTS, 'default/kubernetes')).subsets?.[0]?.addresses?.[0]?.ip, '192.0.2.1');
	t.is(memory.list(LEASES_PREFIX, {}).entries.length, 1);
	t.is(memory.list(PEERS_PREFIX, {}).entries.length, 1);
	stop.abort();
	await clock.advance(1000);
	await stopped;
	t.is(memory.list(LEASES_PREFIX, {}).entries.length, 0);
	t.is(memory.list(PEERS_PREFIX, {}).entries.length, 0);
});

test('a server is named after its host, as upstream names it', (t) => t.is(serverIdentity('vm'), 'apiserver-wlv32tlttr4jl3gtroqexyxapa'));

test('a server keeps a lease that tells its identity, and those of servers that are gone are deleted', async (t) => {
	const clock = new VirtualClock();
	const stop = new AbortController();
	const { client, stopped } = await testApiServer({ clock, log: noLog }, stop.signal);
	const key = `kube-system/${serverIdentity()}`;
	await clock.advance(1000);
	const first = await client.get(LEASES, key);
	t.is(first.metadata.labels?.['apiserver.kubernetes.io/identity'], 'kube-apiserver');
	t.is(first.metadata.annotations?.['kubernetes.io/peer-advertise-address'], '192.0.2.1:6443');
	await clock.advance(10_000);
	const renewed = await client.get(LEASES, key);
	t.is(renewed.spec?.holderIdentity, first.spec?.holderIdentity);
	t.true((renewed.spec?.renewTime ?? '') > (first.spec?.renewTime ?? ''));
	const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
	const gone = { renewTime: '2001-01-01T00:00:00.000000Z', leaseDurationSeconds: 3600 };
	await client.create(LEASES, { metadata: { name: 'apiserver-gone', namespace: 'kube-system', labels }, spec: gone });
	await client.create(LEASES, { metadata: { name: 'other', namespace: 'kube-system' }, spec: gone });
	await new IdentityLease({ client, clock, log: noLog, peerAddress: '' }).collect(stop.signal);
	const left = (await client.list(LEASES, { namespace: 'kube-system' })).items.map(({ metadata }) => metadata.name);
	t.deepEqual(left, [serverIdentity(), 'other']);
	stop.abort();
	await clock.advance(1000);
	await stopped;
});
