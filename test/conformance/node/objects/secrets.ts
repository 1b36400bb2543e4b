/** [sig-node] Secrets as objects. */
import { CoreV1Api, type V1Secret } from '@kubernetes/client-node';
import { patch } from '../../patch.ts';
import { gone, refusal } from '../../refusals.ts';
import { conformance } from '../../suite.ts';

conformance('[sig-node] Secrets should fail to create secret due to empty secret key [Conformance]', async ({ t, api, namespace }) => {
	const body = { metadata: { name: 'empty' }, stringData: { '': 'value-1' } };
	const { code, reason, message } = await refusal(api(CoreV1Api).createNamespacedSecret({ namespace, body }));
	t.deepEqual([code, reason], [422, 'Invalid']);
	t.regex(message, /data\[\]: Invalid value: ""/);
});

conformance('[sig-node] Secrets should patch a secret [Conformance]', async (world) => {
	const { t, api, namespace } = world;
	const core = api(CoreV1Api);
	const labels = { testsecret: 'true' };
	const labelSelector = 'testsecret=true';
	const body = { metadata: { name: 'patched', labels }, stringData: { key: 'value' } };
	await core.createNamespacedSecret({ namespace, body });
	t.deepEqual(
		(await core.listSecretForAllNamespaces({ labelSelector })).items.map(({ metadata }) => metadata?.name),
		['patched'],
	);
	const data = { key: Buffer.from('value1').toString('base64') };
	const answer = await patch(world, `/api/v1/namespaces/${namespace}/secrets/patched`, {
		metadata: { labels: { testsecret: 'false' } },
		data,
	});
	t.is(answer.code, 200, answer.text);
	const { items } = await core.listSecretForAllNamespaces({ labelSelector: 'testsecret=false' });
	t.deepEqual(items.find(({ metadata }: V1Secret) => metadata?.namespace === namespace)?.data, data);
	await core.deleteCollectionNamespacedSecret({ namespace, labelSelector: 'testsecret=false' });
	t.true(await gone(core.readNamespacedSecret({ namespace, name: 'patched' })));
});
