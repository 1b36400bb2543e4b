import test from 'ava';
import type { Namespace } from '../../../api/gen/types.ts';
import { API_SERVICES, CONFIG_MAPS, NAMESPACES, PODS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { AppError } from '../../../base/errors.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { Client } from '../../../client/client.ts';
import type { Informers } from '../../../client/informers.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { discoveryFailure } from './conditions.ts';
import { deleteContent } from './content.ts';
import { namespaceController } from './controller.ts';

test('discoveryFailure(): every version that could not be asked', (t) => {
	t.is(discoveryFailure([]), undefined);
	t.is(
		discoveryFailure(['a.io/v1', 'b.io/v1']),
		'Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: a.io/v1: stale GroupVersion discovery: a.io/v1, b.io/v1: stale GroupVersion discovery: b.io/v1',
	);
});

test('a namespace stays while a server behind the API server cannot be asked what it holds of it', async (t) => {
	await controlledCluster(
		async ({ client, pass }) => {
			await client.create(NAMESPACES, { metadata: { name: 'going' } });
			await client.create(CONFIG_MAPS, { metadata: { namespace: 'going', name: 'c' } });
			const service = { namespace: 'default', name: 'nobody', port: 443 };
			const spec = {
				group: 'gone.io',
				version: 'v1',
				service,
				groupPriorityMinimum: 1000,
				versionPriority: 10,
				insecureSkipTLSVerify: true,
			};
			await client.create(API_SERVICES, { metadata: { name: 'v1.gone.io' }, spec });
			await pass(5000);
			await client.delete(NAMESPACES, 'going');
			await pass(5000);
			const { status } = await client.get(NAMESPACES, 'going');
			const condition = status?.conditions?.find(({ type }) => type === 'NamespaceDeletionDiscoveryFailure');
			t.is(condition?.status, 'True');
			t.is(condition?.message, discoveryFailure(['gone.io/v1']));
			t.deepEqual((await client.list(CONFIG_MAPS, { namespace: 'going' })).items, []);
			await client.delete(API_SERVICES, 'v1.gone.io');
			await pass(60_000);
			await t.throwsAsync(client.get(NAMESPACES, 'going'), { message: /not found/ });
		},
		{ only: ['namespace-controller'] },
	);
});

const conditionsOf = ({ status }: Namespace): Record<string, string> =>
	Object.fromEntries((status?.conditions ?? []).map(({ type, status: is, message }) => [type, `${is}: ${message}`]));

test('a namespace that others still hold says that its own content is gone', async (t) => {
	await controlledCluster(
		async ({ client, pass }) => {
			await client.create(NAMESPACES, { metadata: { name: 'going', finalizers: ['x.io/stay'] } });
			await client.create(CONFIG_MAPS, { metadata: { namespace: 'going', name: 'c', finalizers: ['x.io/c'] } });
			await client.delete(NAMESPACES, 'going');
			await pass(5000);
			const held = conditionsOf(await client.get(NAMESPACES, 'going'));
			t.is(held['NamespaceContentRemaining'], 'True: Some resources are remaining: configmaps. has 1 resource instances');
			t.is(held['NamespaceDeletionContentFailure'], 'False: All content successfully deleted, may be waiting on finalization');
			await client.patch(CONFIG_MAPS, 'going/c', { type: 'merge', body: { metadata: { finalizers: null } } });
			await pass(20_000);
			const empty = await client.get(NAMESPACES, 'going');
			t.deepEqual(empty.spec?.finalizers ?? [], []);
			t.is(conditionsOf(empty)['NamespaceContentRemaining'], 'False: All content successfully removed');
			t.is(conditionsOf(empty)['NamespaceFinalizersRemaining'], 'False: All content-preserving finalizers finished');
		},
		{ only: ['namespace-controller'] },
	);
});

test('pods that stay longer than they may are a failure', async (t) => {
	await controlledCluster(
		async ({ client, pass }) => {
			await client.create(NAMESPACES, { metadata: { name: 'going' } });
			await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'going', name: 'default' } });
			const spec = { nodeName: 'n1', terminationGracePeriodSeconds: 10, containers: [{ name: 'c', image: 'i' }] };
			await client.create(PODS, { metadata: { namespace: 'going', name: 'p' }, spec });
			await client.delete(NAMESPACES, 'going');
			await pass(3000);
			const early = conditionsOf(await client.get(NAMESPACES, 'going'));
			t.is(early['NamespaceDeletionContentFailure'], 'False: All content successfully deleted, may be waiting on finalization');
			await pass(20_000);
			const late = conditionsOf(await client.get(NAMESPACES, 'going'));
			t.is(
				late['NamespaceDeletionContentFailure'],
				'True: Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: going for gvr: /v1, Resource=pods',
			);
			t.is(late['NamespaceContentRemaining'], 'True: Some resources are remaining: pods. has 1 resource instances');
		},
		{ only: ['namespace-controller'] },
	);
});

/** Deletes no ConfigMaps, and says why in the words of `refusal`. */
function refusing(client: Client, refusal: () => string): Client {
	return new Proxy(client, {
		get(target, property) {
			if (property === 'as') return (agent: string) => refusing(target.as(agent), refusal);
			const own: unknown = Reflect.get(target, property);
			if (property !== 'deleteCollection') return typeof own === 'function' ? (own.bind(target) as unknown) : own;
			return async (...asked: Parameters<Client['deleteCollection']>) => {
				if (asked[0].plural !== 'configmaps') return await target.deleteCollection(...asked);
				throw new AppError('PermissionDenied', refusal());
			};
		},
	});
}

test('what cannot be deleted is told in the words of the server, and tried again each minute', async (t) => {
	let refused = 0;
	const refusal = (): string => {
		refused++;
		return 'not this one';
	};
	await controlledCluster(
		async ({ client, pass }) => {
			await client.create(NAMESPACES, { metadata: { name: 'going' } });
			await client.create(CONFIG_MAPS, { metadata: { namespace: 'going', name: 'c' } });
			await client.delete(NAMESPACES, 'going');
			await pass(5000);
			const { status } = await client.get(NAMESPACES, 'going');
			const condition = status?.conditions?.find(({ type }) => type === 'NamespaceDeletionContentFailure');
			t.is(condition?.message, 'Failed to delete all resource types, 1 remaining: not this one');
			// A wait that went on doubling would come at 328 s and at 655 s.
			for (let minute = 0; minute < 7; minute++) await pass(60_000);
			for (const minute of ['first', 'second', 'third']) {
				const before = refused;
				await pass(61_000);
				t.true(refused > before, `${minute} minute`);
			}
		},
		{ only: ['namespace-controller'], through: (client) => refusing(client, refusal) },
	);
});

test('what is refused in other words each time is not tried more often', async (t) => {
	let refused = 0;
	await controlledCluster(
		async ({ client, pass }) => {
			await client.create(NAMESPACES, { metadata: { name: 'going' } });
			await client.create(CONFIG_MAPS, { metadata: { namespace: 'going', name: 'c' } });
			await client.delete(NAMESPACES, 'going');
			await pass(10_000);
			// 5 ms, doubled: the twelfth comes after 10.2 s.
			t.true(refused > 5 && refused <= 12, `${refused} times`);
			const { status } = await client.get(NAMESPACES, 'going');
			const condition = status?.conditions?.find(({ type }) => type === 'NamespaceDeletionContentFailure');
			t.is(condition?.message, `Failed to delete all resource types, 1 remaining: refusal ${refused}`);
		},
		{ only: ['namespace-controller'], through: (client) => refusing(client, () => `refusal ${++refused}`) },
	);
});

for (const [rule, first, then] of [
	['left', 1, 200_000],
	['there', 200_000, 1],
] as const)
	test(`deleteContent(): any number of pods may be ${rule}`, async (t) => {
		const many = (count: number, metadata: object): object[] =>
			Array.from({ length: count }, () => ({ metadata, spec: { terminationGracePeriodSeconds: 30 } }));
		const lists = [many(first, {}), many(then, { deletionGracePeriodSeconds: 30 })];
		const client = {
			list: () => Promise.resolve({ items: lists.shift() ?? [] }),
			deleteCollection: () => Promise.resolve(),
		} as unknown as Client;
		const pods = { ...PODS, verbs: ['list', 'delete', 'deletecollection'] };
		const emptied = await deleteContent(client, 'n', [pods], { deletedMs: 29_000 }, new AbortController().signal);
		t.deepEqual(emptied, { contentErrors: [], remaining: new Map([['pods.', then]]), finalizers: new Map(), graceSeconds: 30 });
	});

for (const [rule, live] of [
	['is another one by now', { metadata: { name: 'n', uid: 'new' }, spec: { finalizers: ['kubernetes'] } }],
	['is gone by now', undefined],
] as readonly (readonly [string, Namespace | undefined])[])
	test(`nothing is deleted of a namespace that ${rule}, though the cache does not know it yet`, async (t) => {
		const cached = { metadata: { name: 'n', uid: 'old', deletionTimestamp: '2026-01-01T00:00:00Z' }, spec: { finalizers: ['kubernetes'] } };
		// Whatever else it asked for would fail.
		const client = {
			get: () => (live === undefined ? Promise.reject(new AppError('NotFound', 'n')) : Promise.resolve(live)),
		} as unknown as Client;
		const informers = { get: () => ({ lister: { get: () => cached } }) } as unknown as Informers;
		const { reconcile } = namespaceController({ client, informers, clock: new VirtualClock() });
		await t.notThrowsAsync(async () => reconcile('n', new AbortController().signal));
	});
