import test from 'ava';
import type { StatefulSet } from '../../api/gen/types.ts';
import type { KubeObject } from '../../api/resource.ts';
import { PODS, STATEFUL_SETS } from '../../api/resources.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createClient } from '../../client/rest.ts';
import { FakeTransport } from '../../test/fakes/fake-transport.ts';
import { claimAll } from './claim.ts';

for (const [name, behind, isAdopted] of [
	['as it is', (set) => set, true],
	['whose deletion the cache has not seen', ({ metadata: { deletionTimestamp: _, ...metadata }, ...set }) => ({ ...set, metadata }), false],
	['whose successor has its name', (set) => ({ ...set, metadata: { ...set.metadata, uid: 'former' } }), false],
	['that is gone', (set) => ({ ...set, metadata: { ...set.metadata, name: 'gone' } }), false],
] as const satisfies readonly (readonly [string, (live: StatefulSet & KubeObject) => StatefulSet & KubeObject, boolean])[])
	test(`orphans are adopted by what lives, and asked once: a set ${name}`, async (t) => {
		const transport = new FakeTransport(new VirtualClock());
		const client = createClient(transport);
		const { signal } = new AbortController();
		const deletionTimestamp = name.startsWith('whose deletion') ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
		const set = await client.create(STATEFUL_SETS, { metadata: { namespace: 'n', name: 's', ...deletionTimestamp } } as StatefulSet);
		for (const pod of ['s-0', 's-1']) await client.create(PODS, { metadata: { namespace: 'n', name: pod } });
		const pods = (await client.list(PODS)).items;
		const before = transport.requests.length;
		const owned = await claimAll(client, PODS, { resource: STATEFUL_SETS, object: behind(set) }, pods, () => true, signal);
		t.is(owned.length, isAdopted ? 2 : 0);
		t.is(transport.requests.slice(before).filter(({ method }) => method === 'GET').length, 1);
		const owners = (await client.list(PODS)).items.flatMap(({ metadata }) => metadata.ownerReferences ?? []);
		t.is(owners.length, isAdopted ? 2 : 0);
	});
