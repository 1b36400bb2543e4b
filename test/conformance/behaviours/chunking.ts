/** [sig-api-machinery] Servers with support for API chunking. */
import { ApiException, CoreV1Api, KubeConfig, type V1PodTemplateList } from '@kubernetes/client-node';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { createMemoryStore } from '../../../controlplane/storage/memory-store.ts';
import { testApiServer } from '../../fakes/api-server.ts';
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

conformance(
	'[sig-api-machinery] Servers with support for API chunking should support continue listing from the last key if the original version has been compacted away, though the list is inconsistent [Slow] [Conformance]',
	async ({ t, signal }) => {
		// A server whose history this test can forget at once: a cluster's own does so after five minutes.
		const store = createMemoryStore(realClock);
		const server = await testApiServer({ port: 0, clock: realClock, log: noLog, store }, signal);
		const config = new KubeConfig();
		config.loadFromClusterAndUser(
			{ name: 'c', server: server.url, caData: Buffer.from(server.ca).toString('base64'), skipTLSVerify: false },
			{ name: 'admin', token: server.token },
		);
		const core = config.makeApiClient(CoreV1Api);
		const world = { api: () => core, namespace: 'default' } as unknown as World;
		await templates(world);
		const first = await chunk(world, 10);
		const old = first.metadata?._continue;
		await core.deleteNamespacedPodTemplate({ namespace: 'default', name: 'template-0020' });
		await store.compact(store.revision());
		const error = await t.throwsAsync(chunk(world, 10, old), { instanceOf: ApiException });
		const { code, reason, metadata } = JSON.parse(String((error as ApiException<string>).body)) as {
			code: number;
			reason: string;
			metadata: { continue: string };
		};
		t.deepEqual([code, reason], [410, 'Expired']);
		const rest = await chunk(world, 0, metadata.continue);
		t.not(rest.metadata?.resourceVersion, first.metadata?.resourceVersion);
		const names = [...first.items, ...rest.items].map((item) => item.metadata?.name);
		t.deepEqual(
			names,
			Array.from({ length: TOTAL }, (_, i) => `template-${String(i).padStart(4, '0')}`).filter((name) => !name.endsWith('0020')),
		);
	},
);
