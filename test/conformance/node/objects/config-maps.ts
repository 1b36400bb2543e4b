/** [sig-node] ConfigMap as an object. */
import { CoreV1Api } from '@kubernetes/client-node';
import { supportsOperations } from '../../operations.ts';
import { refusal } from '../../refusals.ts';
import { conformance } from '../../suite.ts';
import { output } from '../pod.ts';

conformance('[sig-node] ConfigMap should fail to create ConfigMap with empty key [Conformance]', async ({ t, api, namespace }) => {
	const body = { metadata: { name: 'empty' }, data: { '': 'value-1' } };
	const { code, reason, message } = await refusal(api(CoreV1Api).createNamespacedConfigMap({ namespace, body }));
	t.deepEqual([code, reason], [422, 'Invalid']);
	t.regex(message, /data\[\]: Invalid value: ""/);
});

conformance('[sig-node] ConfigMap should run through a ConfigMap lifecycle [Conformance]', (world) =>
	supportsOperations(world, {
		group: '',
		version: 'v1',
		plural: 'configmaps',
		kind: 'ConfigMap',
		namespaced: true,
		fields: { data: { valueName: 'value' } },
		change: { data: { valueName: 'value1' } },
	}),
);

conformance('[sig-node] ConfigMap should update ConfigMap successfully [NodeConformance] [Conformance]', async (world) => {
	const { t, api, namespace } = world;
	const core = api(CoreV1Api);
	const metadata = { name: 'changing' };
	const made = await core.createNamespacedConfigMap({ namespace, body: { metadata, data: { key: 'before' } } });
	await core.replaceNamespacedConfigMap({ namespace, name: 'changing', body: { ...made, data: { key: 'after' } } });
	t.is((await core.readNamespacedConfigMap({ namespace, name: 'changing' })).data?.['key'], 'after');
	const env = [{ name: 'KEY', valueFrom: { configMapKeyRef: { name: 'changing', key: 'key' } } }];
	t.is(await output(world, { script: 'echo $KEY', container: { env } }), 'after\n');
});
