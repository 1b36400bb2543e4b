import test from 'ava';
import { NODES, PODS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';

const leaving = async (client: Parameters<Parameters<typeof controlledCluster>[0]>[0]['client']): Promise<boolean> =>
	(await client.get(PODS, 'default/p')).metadata.deletionTimestamp !== undefined;

test('a pod that bears a taint for so long goes then, also when the taint does not say when it came', async (t) => {
	await controlledCluster(
		async ({ client, pass, refusals }) => {
			await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: 'default' } });
			const node = await client.create(NODES, { metadata: { name: 'n' } });
			const tolerations = [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 10 }];
			const spec = { nodeName: 'n', tolerations, containers: [{ name: 'c', image: 'i' }] };
			await client.create(PODS, { metadata: { name: 'p', namespace: 'default' }, spec });
			const tainted = await client.update(NODES, { ...node, spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } });
			await pass(6_000);
			t.false(await leaving(client));
			// Taken away and set again, the time begins anew.
			const clean = await client.update(NODES, { ...tainted, spec: {} });
			await pass();
			await client.update(NODES, { ...clean, spec: tainted.spec });
			await pass(6_000);
			t.false(await leaving(client));
			await pass(5_000);
			t.true(await leaving(client));
			t.deepEqual(refusals, []);
		},
		{ only: ['taint-eviction-controller'] },
	);
});
