/** [sig-api-machinery] Watchers. */
import { CoreV1Api, PatchStrategy, setHeaderOptions, type V1ConfigMap } from '@kubernetes/client-node';
import { conformance, type World } from '../suite.ts';
import { Watching } from '../watching.ts';

const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
const path = ({ namespace }: World): string => `/api/v1/namespaces/${namespace}/configmaps`;

const create = ({ api, namespace }: World, name: string, label: string): Promise<V1ConfigMap> =>
	api(CoreV1Api).createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { watched: label } } } });
const patch = ({ api, namespace }: World, name: string, body: object): Promise<V1ConfigMap> =>
	api(CoreV1Api).patchNamespacedConfigMap({ namespace, name, body }, merge);
const remove = ({ api, namespace }: World, name: string): Promise<unknown> => api(CoreV1Api).deleteNamespacedConfigMap({ namespace, name });
const said = (watching: Watching<V1ConfigMap>): unknown[] =>
	watching.seen.map(({ type, object }) => [type, object.metadata?.name, object.data?.['mutation']]);

conformance(
	'[sig-api-machinery] Watchers should observe add, update, and delete watch notifications on configmaps [Conformance]',
	async (world) => {
		const [a, b, either] = await Promise.all(
			['watched=a', 'watched=b', 'watched in (a,b)'].map((labelSelector) =>
				Watching.start<V1ConfigMap>(world, path(world), { labelSelector }),
			) as [Promise<Watching<V1ConfigMap>>, Promise<Watching<V1ConfigMap>>, Promise<Watching<V1ConfigMap>>],
		);
		await create(world, 'a', 'a');
		await patch(world, 'a', { data: { mutation: '1' } });
		await patch(world, 'a', { data: { mutation: '2' } });
		await remove(world, 'a');
		await create(world, 'b', 'b');
		await remove(world, 'b');
		await a.next('DELETED');
		await b.next('DELETED');
		await either.next('DELETED');
		await either.next('DELETED');
		const ofA = [
			['ADDED', 'a', undefined],
			['MODIFIED', 'a', '1'],
			['MODIFIED', 'a', '2'],
			['DELETED', 'a', '2'],
		];
		const ofB = [
			['ADDED', 'b', undefined],
			['DELETED', 'b', undefined],
		];
		world.t.deepEqual([said(a), said(b), said(either)], [ofA, ofB, [...ofA, ...ofB]]);
	},
);

conformance(
	'[sig-api-machinery] Watchers should be able to start watching from a specific resource version [Conformance]',
	async (world) => {
		await create(world, 'x', 'x');
		const { metadata } = await patch(world, 'x', { data: { mutation: '1' } });
		await patch(world, 'x', { data: { mutation: '2' } });
		await remove(world, 'x');
		const watching = await Watching.start<V1ConfigMap>(world, path(world), { resourceVersion: metadata?.resourceVersion ?? '' });
		await watching.next('DELETED');
		world.t.deepEqual(said(watching), [
			['MODIFIED', 'x', '2'],
			['DELETED', 'x', '2'],
		]);
	},
);

conformance(
	'[sig-api-machinery] Watchers should be able to restart watching from the last resource version observed by the previous watch [Conformance]',
	async (world) => {
		const stop = new AbortController();
		const first = await Watching.start<V1ConfigMap>({ ...world, signal: stop.signal }, path(world));
		await create(world, 'x', 'x');
		await patch(world, 'x', { data: { mutation: '1' } });
		const last = (await first.next('MODIFIED')).object.metadata?.resourceVersion ?? '';
		stop.abort();
		await first.ended;
		await patch(world, 'x', { data: { mutation: '2' } });
		await remove(world, 'x');
		const second = await Watching.start<V1ConfigMap>(world, path(world), { resourceVersion: last });
		await second.next('DELETED');
		world.t.deepEqual(said(second), [
			['MODIFIED', 'x', '2'],
			['DELETED', 'x', '2'],
		]);
	},
);

conformance(
	'[sig-api-machinery] Watchers should observe an object deletion if it stops meeting the requirements of the selector [Conformance]',
	async (world) => {
		const watching = await Watching.start<V1ConfigMap>(world, path(world), { labelSelector: 'watched=yes' });
		await create(world, 'x', 'yes');
		await patch(world, 'x', { data: { mutation: '1' } });
		await patch(world, 'x', { metadata: { labels: { watched: 'no' } }, data: { mutation: '2' } });
		await patch(world, 'x', { data: { mutation: '3' } });
		await patch(world, 'x', { metadata: { labels: { watched: 'yes' } } });
		await patch(world, 'x', { data: { mutation: '4' } });
		await remove(world, 'x');
		await watching.next('DELETED');
		await watching.next('DELETED');
		world.t.deepEqual(said(watching), [
			['ADDED', 'x', undefined],
			['MODIFIED', 'x', '1'],
			['DELETED', 'x', '1'], // as it was when it last met them
			['ADDED', 'x', '3'],
			['MODIFIED', 'x', '4'],
			['DELETED', 'x', '4'],
		]);
	},
);

conformance('[sig-api-machinery] Watchers should receive events on concurrent watches in same order [Conformance]', async (world) => {
	const { metadata } = await world.api(CoreV1Api).listNamespacedConfigMap({ namespace: world.namespace });
	const all: Promise<Watching<V1ConfigMap>>[] = [];
	let resourceVersion = metadata?.resourceVersion ?? '';
	for (let i = 0; i < 20; i++) {
		all.push(Watching.start(world, path(world), { resourceVersion }));
		({ resourceVersion = '' } = (await create(world, `m${i}`, 'x')).metadata ?? {});
		if (i % 3 === 0) await patch(world, `m${i}`, { data: { mutation: '1' } });
		if (i % 4 === 0) await remove(world, `m${i}`);
	}
	await create(world, 'last', 'x');
	const orders = await Promise.all(
		all.map(async (starting) => {
			const watching = await starting;
			while ((await watching.next()).object.metadata?.name !== 'last');
			return watching.seen.map(({ object }) => object.metadata?.resourceVersion ?? '');
		}),
	);
	const longest = orders[0] ?? [];
	for (const order of orders) world.t.deepEqual(order, longest.slice(longest.length - order.length));
});
