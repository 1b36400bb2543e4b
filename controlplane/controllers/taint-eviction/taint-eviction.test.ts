import test from 'ava';
import { NODES, PODS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';

const leaving = async (client: Parameters<Parameters<typeof controlledCluster>[0]>[0]['client']): Promise<boolean> =>
	(await client.get(PODS, 'default/p')).metadata.deletionTimestamp !== undefined;

test('a pod that bears a taint for so long goes then, also when the taint does not say when it came', async (t) => {
	await controlledCluster(
		async ({ client, clock, events, pass, refusals }) => {
			await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: 'default' } });
			const node = await client.create(NODES, { metadata: { name: 'n' } });
			const tolerations = [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 10 }];
			const spec = { nodeName: 'n', tolerations, containers: [{ name: 'c', image: 'i' }] };
			await client.create(PODS, { metadata: { name: 'p', namespace: 'default' }, spec });
			const tainted = await client.update(NODES, { ...node, spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } });
			await pass(6_000);
			t.false(await leaving(client));
			// Who comes later has as long, whenever the taint came.
			const timeAdded = new Date(clock.now() - 3_600_000).toISOString().replace('.000', '');
			await client.update(NODES, { ...tainted, spec: { taints: [{ key: 'k', effect: 'NoExecute', timeAdded }] } });
			await client.create(PODS, { metadata: { name: 'late', namespace: 'default' }, spec });
			await pass(1_000);
			t.is((await client.get(PODS, 'default/late')).metadata.deletionTimestamp, undefined);
			await client.delete(PODS, 'default/late', { gracePeriodSeconds: 0 });
			await pass();
			t.deepEqual(await events('late'), ['TaintManagerEviction: Cancelling deletion of Pod default/late']);
			// Taken away and set again, the time begins anew.
			const clean = await client.update(NODES, { ...(await client.get(NODES, 'n')), spec: {} });
			await pass();
			t.deepEqual(await events('p'), ['TaintManagerEviction: Cancelling deletion of Pod default/p']);
			await client.update(NODES, { ...clean, spec: tainted.spec });
			await pass(6_000);
			t.false(await leaving(client));
			await pass(5_000);
			t.true(await leaving(client));
			const target = (await client.get(PODS, 'default/p')).status?.conditions?.find((c) => c.type === 'DisruptionTarget');
			t.is(target?.observedGeneration, 1);
			t.deepEqual(refusals, []);
		},
		{ only: ['taint-eviction-controller'] },
	);
});
