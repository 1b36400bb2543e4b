/** [sig-node] PodTemplates. */
import { CoreV1Api, type V1PodTemplate } from '@kubernetes/client-node';
import { supportsOperations } from '../../operations.ts';
import { conformance, type World } from '../../suite.ts';

const template = { spec: { containers: [{ name: 'nginx', image: 'nginx' }] } };
const labels = { 'podtemplate-set': 'true' };

const create = ({ api, namespace }: World, name: string): Promise<V1PodTemplate> =>
	api(CoreV1Api).createNamespacedPodTemplate({ namespace, body: { metadata: { name, labels }, template } });

conformance('[sig-node] PodTemplates should run the lifecycle of PodTemplates [Conformance]', (world) =>
	supportsOperations(world, {
		group: '',
		version: 'v1',
		plural: 'podtemplates',
		kind: 'PodTemplate',
		namespaced: true,
		fields: { template },
		change: { template: { metadata: { labels: { patched: 'true' } } } },
	}),
);

conformance('[sig-node] PodTemplates should delete a collection of pod templates [Conformance]', async (world) => {
	const { t, api, namespace } = world;
	const labelSelector = 'podtemplate-set=true';
	for (const name of ['one', 'two', 'three']) await create(world, name);
	const core = api(CoreV1Api);
	t.is((await core.listNamespacedPodTemplate({ namespace, labelSelector })).items.length, 3);
	await core.deleteCollectionNamespacedPodTemplate({ namespace, labelSelector });
	t.is((await core.listNamespacedPodTemplate({ namespace, labelSelector })).items.length, 0);
});

conformance('[sig-node] PodTemplates should replace a pod template [Conformance]', async (world) => {
	const { t, api, namespace } = world;
	const made = await create(world, 'replaced');
	const metadata = { ...made.metadata, annotations: { updated: 'true' } };
	const body = { ...made, metadata, template: { spec: { containers: [{ name: 'nginx', image: 'nginx:2' }] } } };
	const after = await api(CoreV1Api).replaceNamespacedPodTemplate({ namespace, name: 'replaced', body });
	t.is(after.metadata?.annotations?.['updated'], 'true');
	t.is(after.template?.spec?.containers[0]?.image, 'nginx:2');
});
