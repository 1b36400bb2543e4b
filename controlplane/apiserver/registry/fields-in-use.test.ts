/** What a server with a feature has written is not lost where the feature is off. */
import test from 'ava';
import type { Lease } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { ENDPOINT_SLICES, LEASES } from '../../../api/resources.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';
import { encode } from '../answer/canonical.ts';

test("a Lease's strategy stays in updates, one that is new does not", async (t) => {
	const stop = new AbortController();
	const clock = new VirtualClock();
	const store = createMemoryStore(clock);
	const { client, stopped } = await testApiServer({ clock, log: noLog, store }, stop.signal);
	const metadata = { name: 'used', namespace: 'default' };
	const spec = { strategy: 'OldestEmulationVersion' };
	const made = await client.create(LEASES, { metadata, spec });
	t.is(made.spec?.strategy, undefined);
	const entry = store.list('/', {}).entries.find(({ key }) => key.endsWith('leases/default/used'));
	const value = encode({ ...made, spec } as unknown as KubeObject, { labels: {}, fields: {} });
	await store.commit([{ key: entry?.key ?? '', expect: entry?.revision ?? 0n, value }], stop.signal);
	const body: Pick<Lease, 'spec'> = { spec: { holderIdentity: 'x' } };
	const kept = await client.patch(LEASES, 'default/used', { type: 'merge', body });
	t.deepEqual(kept.spec, { ...spec, holderIdentity: 'x' });
	stop.abort();
	await stopped;
});

test('labels of endpoints that are dropped count as a change of the slice', async (t) => {
	const stop = new AbortController();
	const clock = new VirtualClock();
	const { client, stopped } = await testApiServer({ clock, log: noLog, store: createMemoryStore(clock) }, stop.signal);
	const endpoints = [{ addresses: ['10.0.0.1'] }];
	await client.create(ENDPOINT_SLICES, { metadata: { name: 's', namespace: 'default' }, addressType: 'IPv4', endpoints });
	const body = { endpoints: [{ addresses: ['10.0.0.1'], deprecatedTopology: { zone: 'z' } }] };
	const { metadata, endpoints: kept } = await client.patch(ENDPOINT_SLICES, 'default/s', { type: 'merge', body });
	t.is(metadata.generation, 2);
	t.is(kept?.[0]?.deprecatedTopology, undefined);
	stop.abort();
	await stopped;
});
