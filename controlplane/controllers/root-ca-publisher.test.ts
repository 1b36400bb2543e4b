import test from 'ava';
import { CONFIG_MAPS } from '../../api/resources.ts';
import { controlledCluster } from '../../test/fakes/controlled-cluster.ts';

test('the published root CA is mended, with a description that somebody wrote', async (t) => {
	await controlledCluster(
		async ({ client, ca, pass }) => {
			const key = 'default/kube-root-ca.crt';
			const annotations = { 'kubernetes.io/description': 'ours' };
			await pass();
			await client.patch(CONFIG_MAPS, key, { type: 'merge', body: { metadata: { annotations } } });
			await pass();
			const kept = await client.get(CONFIG_MAPS, key);
			t.deepEqual([kept.metadata.annotations, kept.data], [annotations, { 'ca.crt': ca }]);
			await client.patch(CONFIG_MAPS, key, { type: 'merge', body: { data: { 'ca.crt': 'x' } } });
			await pass();
			t.deepEqual((await client.get(CONFIG_MAPS, key)).data, { 'ca.crt': ca });
		},
		{ only: ['root-ca-certificate-publisher-controller'] },
	);
});
