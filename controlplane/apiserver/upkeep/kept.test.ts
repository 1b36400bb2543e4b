/** What a whole server keeps as it has to be: each object is deleted or changed, and comes back, on virtual time. */
import test, { type ExecutionContext } from 'ava';
import type { KubeObject, Resource } from '../../../api/resource.ts';
import { CONFIG_MAPS, ENDPOINT_SLICES, ENDPOINTS, NAMESPACES, SERVICES } from '../../../api/resources.ts';
import { noLog } from '../../../base/log.ts';
import { idle, VirtualClock } from '../../../base/virtual-clock.ts';
import type { Client } from '../../../client/client.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';

interface World {
	readonly clock: VirtualClock;
	readonly client: Client;
	/** Lets what follows without a timer happen. */
	readonly soon: () => Promise<void>;
	readonly has: <T extends KubeObject>(resource: Resource<T>, key: string) => Promise<boolean>;
}

const START = Date.parse('2026-01-01T23:20:00Z');
const MINUTE = 60_000;

/** @param restMs after which all that the start has written may be written again */
function kept(name: string, body: (t: ExecutionContext, world: World) => Promise<void>, restMs = MINUTE): void {
	test(name, async (t) => {
		const clock = new VirtualClock(START, 1, () => idle(40));
		const store = createMemoryStore(clock);
		const stop = new AbortController();
		const { client, stopped } = await testApiServer({ clock, log: noLog, store }, stop.signal);
		try {
			await clock.advance(restMs);
			await body(t, {
				...{ clock, client },
				soon: () => clock.advance(0),
				has: (resource, key) =>
					client.get(resource, key).then(
						() => true,
						() => false,
					),
			});
		} finally {
			stop.abort();
			await stopped;
		}
		await store.close();
		t.is(clock.pending, 0, 'nothing is left behind');
	});
}

const KUBERNETES = 'default/kubernetes';

kept('the Service kubernetes comes back at its address, once in ten seconds at most; what it was changed to stays', async (t, world) => {
	const { client, clock, soon, has } = world;
	await client.delete(SERVICES, KUBERNETES);
	await soon();
	t.is((await client.get(SERVICES, KUBERNETES)).spec?.clusterIP, '10.0.0.1');
	await client.delete(SERVICES, KUBERNETES);
	await soon();
	t.false(await has(SERVICES, KUBERNETES));
	await clock.advance(10_000);
	t.true(await has(SERVICES, KUBERNETES));
	await client.patch(SERVICES, KUBERNETES, { type: 'merge', body: { spec: { sessionAffinity: 'ClientIP' } } });
	await clock.advance(MINUTE);
	t.is((await client.get(SERVICES, KUBERNETES)).spec?.sessionAffinity, 'ClientIP');
});

kept('system namespaces come back', async (t, { client, soon, has }) => {
	await client.delete(NAMESPACES, 'kube-node-lease');
	await soon();
	t.true(await has(NAMESPACES, 'kube-node-lease'), 'it is going');
	const going = await client.get(NAMESPACES, 'kube-node-lease');
	await client.update(NAMESPACES, { ...going, spec: { finalizers: [] } }, { subresource: 'finalize' });
	await soon();
	const made = await client.get(NAMESPACES, 'kube-node-lease');
	t.not(made.metadata.uid, going.metadata.uid);
	t.is(made.metadata.deletionTimestamp, undefined);
});

const addressesOf = async (client: Client): Promise<unknown> => {
	const { subsets } = await client.get(ENDPOINTS, KUBERNETES);
	const { endpoints, ports } = await client.get(ENDPOINT_SLICES, KUBERNETES);
	return {
		endpoints: subsets?.map((s) => [s.addresses?.map(({ ip }) => ip).join(), s.ports?.map(({ port }) => port).join()].join(' ')).join(),
		slice: [endpoints?.map((e) => e.addresses.join()).join(), ports?.map(({ port }) => port).join()].join(' '),
	};
};
const RIGHT = { endpoints: '192.0.2.1 6443', slice: '192.0.2.1 6443' };
const none = { subsets: [] };
const others = { subsets: [{ addresses: [{ ip: '192.0.2.7' }], ports: [{ name: 'https', port: 6443 }] }] };
const two = { subsets: [...others.subsets, { addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'https', port: 6443 }] }] };
const ports = { subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'https', port: 1 }] }] };

for (const [name, spoil] of [
	['gone', (client: Client) => client.delete(ENDPOINTS, KUBERNETES)],
	['whose slice is gone', (client: Client) => client.delete(ENDPOINT_SLICES, KUBERNETES)],
	...(
		[
			['without addresses', none],
			['of others', others],
			['in two parts', two],
			['with other ports', ports],
		] as const
	).map(([what, body]) => [what, (client: Client) => client.patch(ENDPOINTS, KUBERNETES, { type: 'merge', body })] as const),
	['whose slice is empty', (client: Client) => client.patch(ENDPOINT_SLICES, KUBERNETES, { type: 'merge', body: { endpoints: [] } })],
] as const)
	kept(`endpoints of the Service kubernetes that are ${name} are put right`, async (t, { client, clock, soon }) => {
		t.deepEqual(await addressesOf(client), RIGHT);
		await spoil(client);
		await soon();
		t.deepEqual(await addressesOf(client), RIGHT);
		const { resourceVersion } = (await client.get(ENDPOINTS, KUBERNETES)).metadata;
		await clock.advance(MINUTE);
		t.is((await client.get(ENDPOINTS, KUBERNETES)).metadata.resourceVersion, resourceVersion, 'what is right is not written');
		await spoil(client);
		await clock.advance(10_000);
		t.deepEqual(await addressesOf(client), RIGHT);
	});

kept('endpoints are not mirrored, and the slice belongs to the Service alone', async (t, { client, clock }) => {
	await client.patch(ENDPOINTS, KUBERNETES, {
		type: 'merge',
		body: { metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': null, mine: 'yes' } } },
	});
	await client.patch(ENDPOINT_SLICES, KUBERNETES, {
		type: 'merge',
		body: { metadata: { labels: { 'kubernetes.io/service-name': 'other' } } },
	});
	await clock.advance(10_000);
	t.deepEqual((await client.get(ENDPOINTS, KUBERNETES)).metadata.labels, {
		'endpointslice.kubernetes.io/skip-mirror': 'true',
		mine: 'yes',
	});
	t.deepEqual((await client.get(ENDPOINT_SLICES, KUBERNETES)).metadata.labels, { 'kubernetes.io/service-name': 'kubernetes' });
});

const TRACKING = 'kube-system/kube-apiserver-legacy-service-account-token-tracking';

kept(
	'since when legacy tokens are tracked: made once in half an hour, kept while it is a day',
	async (t, { client, clock, soon, has }) => {
		const since = async (): Promise<string | undefined> => (await client.get(CONFIG_MAPS, TRACKING)).data?.['since'];
		const set = (text: string | null) => client.patch(CONFIG_MAPS, TRACKING, { type: 'merge', body: { data: { since: text, more: 'x' } } });
		t.is(await since(), '2026-01-01');
		await clock.advance(10 * MINUTE);
		await client.delete(CONFIG_MAPS, TRACKING);
		await soon();
		t.is(await since(), '2026-01-02');
		await client.delete(CONFIG_MAPS, TRACKING);
		await clock.advance(29 * MINUTE);
		t.false(await has(CONFIG_MAPS, TRACKING));
		await clock.advance(MINUTE);
		t.is(await since(), '2026-01-02');
		await set('2020-02-29');
		await clock.advance(MINUTE);
		t.is(await since(), '2020-02-29', 'a day is left as it is');
		await set('2021-02-29');
		await soon();
		t.deepEqual((await client.get(CONFIG_MAPS, TRACKING)).data, { since: '2026-01-02', more: 'x' });
		await set(null);
		await clock.advance(MINUTE);
		t.is(await since(), '2026-01-02');
	},
	31 * MINUTE,
);

test('a server that is alone takes itself out of the endpoints when it stops, and is there again when it starts anew', async (t) => {
	const clock = new VirtualClock(START, 1, () => idle(40));
	const store = createMemoryStore(clock);
	const subsets = (): unknown =>
		(
			JSON.parse(Buffer.from(store.get('/core/endpoints/default/kubernetes')?.value.bytes ?? []).toString()) as {
				subsets?: object;
			}
		).subsets;
	for (let i = 0; i < 2; i++) {
		const stop = new AbortController();
		const { client, stopped } = await testApiServer({ clock, log: noLog, store }, stop.signal);
		await clock.advance(0);
		t.deepEqual(await addressesOf(client), RIGHT);
		stop.abort();
		await stopped;
		t.deepEqual(subsets() ?? [], []);
	}
	await store.close();
	t.is(clock.pending, 0);
});
