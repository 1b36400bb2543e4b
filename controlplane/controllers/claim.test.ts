import test from 'ava';
import type { Pod, StatefulSet } from '../../api/gen/types.ts';
import type { KubeObject, Resource } from '../../api/resource.ts';
import { PODS, STATEFUL_SETS } from '../../api/resources.ts';
import { AppError, codeOf } from '../../base/errors.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { Client } from '../../client/client.ts';
import { createClient } from '../../client/rest.ts';
import { FakeTransport } from '../../test/fakes/fake-transport.ts';
import { claimAll } from './claim.ts';
import { controllerRef } from './owned.ts';

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
		const claimed = claimAll(client, PODS, { resource: STATEFUL_SETS, object: behind(set) }, pods, () => true, signal);
		// Whoever asks goes no further: it would make others for what is gone.
		if (isAdopted) t.is((await claimed).length, 2);
		else t.is(codeOf(await t.throwsAsync(claimed)), 'Aborted');
		t.is(transport.requests.slice(before).filter(({ method }) => method === 'GET').length, 1);
		const owners = (await client.list(PODS)).items.flatMap(({ metadata }) => metadata.ownerReferences ?? []);
		t.is(owners.length, isAdopted ? 2 : 0);
	});

for (const [name, refused, matches, want] of [
	['an adoption that is refused as invalid', 'InvalidArgument', true, 'InvalidArgument'],
	['an adoption of what is gone', 'NotFound', true, undefined],
	['a release that is refused as invalid', 'InvalidArgument', false, undefined],
	['a release that is forbidden', 'PermissionDenied', false, 'PermissionDenied'],
] as const)
	test(`the others are tried, too: ${name}`, async (t) => {
		const set: StatefulSet & KubeObject = { metadata: { namespace: 'n', name: 's', uid: 'set' } };
		const owners = matches ? {} : { ownerReferences: [controllerRef(STATEFUL_SETS, set)] };
		const pods = ['s-0', 's-1'].map((pod): Pod => ({ metadata: { namespace: 'n', name: pod, uid: pod, ...owners } }));
		const patched: string[] = [];
		const client = {
			get: () => Promise.resolve(set),
			patch: (_: Resource, key: string) => {
				patched.push(key);
				return key === 'n/s-0' ? Promise.reject(new AppError(refused, 'refused')) : Promise.resolve(pods[1]);
			},
		} as unknown as Client;
		const claimed = claimAll(client, PODS, { resource: STATEFUL_SETS, object: set }, pods, () => matches, new AbortController().signal);
		const error: unknown = await claimed.then(
			() => undefined,
			(failure: unknown) => failure,
		);
		t.is(error === undefined ? undefined : codeOf(error), want);
		t.deepEqual(patched, ['n/s-0', 'n/s-1']);
	});
