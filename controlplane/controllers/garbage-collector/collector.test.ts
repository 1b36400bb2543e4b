/** Decisions on objects that are known, on owners that are not. */
import test from 'ava';
import type { OwnerReference } from '../../../api/gen/types.ts';
import type { KubeObject, Resource } from '../../../api/resource.ts';
import { CONFIG_MAPS, NAMESPACES } from '../../../api/resources.ts';
import { AppError, codeOf } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import { controlledCluster, type ControlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import type { DiscoveredResource } from '../discovered.ts';
import { Collector } from './collector.ts';
import { OwnerGraph } from './graph.ts';

const MAPS: DiscoveredResource = { ...CONFIG_MAPS, verbs: ['get', 'list', 'watch', 'delete'] };
const never = new AbortController().signal;

interface Collecting extends ControlledCluster {
	readonly graph: OwnerGraph;
	readonly collector: Collector;
	readonly queued: string[];
	/** Makes a ConfigMap that only the API knows. */
	make(name: string, ...owners: readonly OwnerReference[]): Promise<KubeObject>;
	/** The graph learns what there is by now. */
	observe(name: string): Promise<readonly string[]>;
}

const to = ({ metadata: { name = '', uid = '' } }: KubeObject): OwnerReference => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid });
const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? '';

async function collecting(
	body: (cluster: Collecting) => Promise<void>,
	through: (client: Client) => Client = (client) => client,
): Promise<void> {
	await controlledCluster(
		async (cluster) => {
			const { client, clock } = cluster;
			await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } });
			const graph = new OwnerGraph();
			const queued: string[] = [];
			const collector = new Collector({
				...{ client: through(client), clock, graph, enqueue: (uid) => queued.push(uid) },
				resourceOf: (_, kind) => (kind === 'ConfigMap' ? MAPS : undefined),
			});
			await body({
				...{ ...cluster, graph, collector, queued },
				make: (name, ...ownerReferences) =>
					client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'a', name, ownerReferences } }),
				observe: async (name) => graph.observe(MAPS, await client.get(CONFIG_MAPS, `a/${name}`)),
			});
		},
		{ only: [] },
	);
}

test('an owner that lives and was not observed is looked for again and again, until it is observed or gone', async (t) =>
	collecting(async ({ client, collector, make, observe }) => {
		const owner = await make('owner');
		const uid = uidOf(await make('dependent', to(owner)));
		t.deepEqual(await observe('dependent'), [uid]);
		for (const afterMs of [1000, 2000, 4000]) t.deepEqual(await collector.reconcile(uid, never), { afterMs });
		await client.delete(CONFIG_MAPS, 'a/owner');
		t.is(await collector.reconcile(uid, never), undefined);
		t.is(await client.get(CONFIG_MAPS, 'a/dependent').catch(codeOf), 'NotFound');

		const second = await make('second');
		const other = uidOf(await make('other', to(second)));
		await observe('other');
		t.deepEqual(await collector.reconcile(other, never), { afterMs: 1000 });
		await observe('second');
		t.is(await collector.reconcile(other, never), undefined);
	}));

test('an owner of a kind that is not served is looked for ever less often, and when other kinds are served', async (t) =>
	collecting(async ({ collector, queued, make, observe }) => {
		const uid = uidOf(await make('dependent', { apiVersion: 'x.io/v1', kind: 'Nothing', name: 'n', uid: 'n' }));
		await observe('dependent');
		const waits: (number | undefined)[] = [];
		for (let i = 0; i < 12; i++) waits.push((await collector.reconcile(uid, never))?.afterMs);
		t.deepEqual(waits.slice(0, 3), [1000, 2000, 4000]);
		t.deepEqual(waits.slice(-2), [1_000_000, 1_000_000]);
		t.deepEqual(queued, []);
		collector.kindsChanged();
		t.deepEqual(queued, [uid]);
	}));

test('once an owner is in foreground deletion all of its dependents are looked at, blocking or not', async (t) =>
	collecting(async ({ client, make, observe }) => {
		const owner = await make('owner');
		const [blocking, other] = [await make('blocking', { ...to(owner), blockOwnerDeletion: true }), await make('other', to(owner))];
		await Promise.all(['owner', 'blocking', 'other'].map(observe));
		await client.delete(CONFIG_MAPS, 'a/owner', { propagationPolicy: 'Foreground' });
		t.deepEqual((await observe('owner')).toSorted(), [owner, blocking, other].map(uidOf).toSorted());
		t.deepEqual(await observe('owner'), []);
	}));

test('a dependent that cannot be orphaned keeps its owner, not the other dependents', async (t) =>
	collecting(
		async ({ client, collector, make, observe }) => {
			const owner = await make('owner');
			const names = ['first', 'refused', 'last'];
			for (const name of names) await make(name, to(owner));
			await Promise.all(['owner', ...names].map(observe));
			await client.delete(CONFIG_MAPS, 'a/owner', { propagationPolicy: 'Orphan' });
			await observe('owner');
			const error = await t.throwsAsync(collector.reconcile(uidOf(owner), never));
			t.is(error?.message, 'refused');
			const left = await Promise.all(
				names.map(async (name) => (await client.get(CONFIG_MAPS, `a/${name}`)).metadata.ownerReferences ?? []),
			);
			t.deepEqual(left, [[], [to(owner)], []]);
			t.deepEqual((await client.get(CONFIG_MAPS, 'a/owner')).metadata.finalizers, ['orphan']);
		},
		(client) => refusing(client, 'a/refused'),
	));

/** No patch of this object succeeds. */
function refusing(client: Client, refused: string): Client {
	return new Proxy(client, {
		get(target, property) {
			const own: unknown = Reflect.get(target, property);
			if (typeof own !== 'function') return own;
			return async (resource: Resource, key: string, ...more: readonly unknown[]): Promise<unknown> => {
				if (property === 'patch' && key === refused) throw new AppError('PermissionDenied', 'refused');
				return Reflect.apply(own, target, [resource, key, ...more]) as unknown;
			};
		},
	});
}
