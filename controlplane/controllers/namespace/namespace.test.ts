import test from 'ava';
import type { Namespace } from '../../../api/gen/types.ts';
import { API_SERVICES, CONFIG_MAPS, NAMESPACES } from '../../../api/resources.ts';
import { AppError } from '../../../base/errors.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { Client } from '../../../client/client.ts';
import type { Informers } from '../../../client/informers.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { discoveryFailure } from './conditions.ts';
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
