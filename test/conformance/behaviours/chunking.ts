/** [sig-api-machinery] Servers with support for API chunking. */
import { CoreV1Api, type V1PodTemplateList } from '@kubernetes/client-node';
import { conformance, type World } from '../suite.ts';

const TOTAL = 40;

async function templates({ api, namespace }: World): Promise<void> {
	for (let i = 0; i < TOTAL; i++)
		await api(CoreV1Api).createNamespacedPodTemplate({
			namespace,
			body: {
				metadata: { name: `template-${String(i).padStart(4, '0')}` },
				template: { spec: { containers: [{ name: 'test', image: 'test2' }] } },
			},
		});
}
const chunk = ({ api, namespace }: World, limit: number, token?: string): Promise<V1PodTemplateList> =>
	api(CoreV1Api).listNamespacedPodTemplate({ namespace, limit, ...(token === undefined ? {} : { _continue: token }) });

conformance(
	'[sig-api-machinery] Servers with support for API chunking should return chunks of results for list calls [Conformance]',
	async (world) => {
		const { t } = world;
		await templates(world);
		for (const limit of [1, 7, 13, TOTAL]) {
			const names: string[] = [];
			const versions = new Set<string | undefined>();
			let token: string | undefined;
			do {
				const list = await chunk(world, limit, token);
				t.true(list.items.length <= limit);
				versions.add(list.metadata?.resourceVersion);
				names.push(...list.items.map((item) => item.metadata?.name ?? ''));
				token = list.metadata?._continue;
				if (token !== undefined && token !== '') t.is(list.metadata?.remainingItemCount, TOTAL - names.length);
			} while (token !== undefined && token !== '');
			t.is(names.length, TOTAL);
			t.deepEqual(names, [...new Set(names)].sort());
			t.is(versions.size, 1);
		}
		t.is((await chunk(world, 500)).items.length, TOTAL);
	},
);
