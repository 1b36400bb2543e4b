/** [sig-api-machinery] ResourceQuota: counting, refusing, scopes. */
import {
	AppsV1Api,
	CoreV1Api,
	PatchStrategy,
	setHeaderOptions,
	type V1Pod,
	type V1ResourceQuota,
	type V1ResourceQuotaSpec,
} from '@kubernetes/client-node';
import { eventually } from '../../tools/eventually.ts';
import { gone, refusal } from '../refusals.ts';
import { sleeper } from '../pods.ts';
import { conformance, type World } from '../suite.ts';
import { Watching } from '../watching.ts';

const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

const quota = (
	{ api, namespace }: World,
	hard: Record<string, string>,
	name = 'q',
	more: Partial<V1ResourceQuotaSpec> = {},
): Promise<V1ResourceQuota> =>
	api(CoreV1Api).createNamespacedResourceQuota({ namespace, body: { metadata: { name }, spec: { hard, ...more } } });

const uses = ({ api, namespace }: World, used: Record<string, string>, name = 'q'): Promise<V1ResourceQuota> =>
	eventually(`quota ${name} uses ${JSON.stringify(used)}`, async () => {
		const quota = await api(CoreV1Api).readNamespacedResourceQuota({ namespace, name });
		return Object.entries(used).every(([key, value]) => quota.status?.used?.[key] === value) && quota;
	});

conformance(
	'[sig-api-machinery] ResourceQuota should create a ResourceQuota and ensure its status is promptly calculated. [Conformance]',
	async (world) => {
		const hard = { pods: '5', services: '10', cpu: '1', memory: '500Mi', secrets: '10', 'services.nodeports': '1' };
		await quota(world, hard);
		const { status } = await uses(world, { pods: '0', services: '0', cpu: '0', memory: '0', secrets: '0', 'services.nodeports': '0' });
		world.t.deepEqual({ ...status?.hard }, hard);
	},
);

conformance(
	'[sig-api-machinery] ResourceQuota should create a ResourceQuota and capture the life of a service. [Conformance]',
	async (world) => {
		const { api, namespace, t } = world;
		const core = api(CoreV1Api);
		await quota(world, { services: '3', 'services.nodeports': '1', 'services.loadbalancers': '1' });
		const none = { services: '0', 'services.nodeports': '0', 'services.loadbalancers': '0' };
		await uses(world, none);
		const service = (name: string, type: string): Promise<unknown> =>
			core.createNamespacedService({ namespace, body: { metadata: { name }, spec: { type, ports: [{ port: 80 }] } } });
		await service('a', 'ClusterIP');
		await service('b', 'NodePort');
		await uses(world, { services: '2', 'services.nodeports': '1', 'services.loadbalancers': '0' });
		const { code, message } = await refusal(service('c', 'LoadBalancer'));
		t.is(code, 403);
		t.regex(message, /exceeded quota: q, requested: services\.nodeports=1, used: services\.nodeports=1, limited: services\.nodeports=1/);
		for (const name of ['a', 'b']) await core.deleteNamespacedService({ namespace, name });
		await uses(world, none);
	},
);

conformance(
	'[sig-api-machinery] ResourceQuota should create a ResourceQuota and capture the life of a secret. [Conformance]',
	async (world) => {
		const { api, namespace } = world;
		await quota(world, { secrets: '2' });
		await uses(world, { secrets: '0' });
		await api(CoreV1Api).createNamespacedSecret({ namespace, body: { metadata: { name: 's' }, stringData: { a: 'b' } } });
		await uses(world, { secrets: '1' });
		await api(CoreV1Api).deleteNamespacedSecret({ namespace, name: 's' });
		await uses(world, { secrets: '0' });
		world.t.pass();
	},
);

conformance(
	'[sig-api-machinery] ResourceQuota should create a ResourceQuota and capture the life of a configMap. [Conformance]',
	async (world) => {
		const { api, namespace, t } = world;
		const core = api(CoreV1Api);
		await quota(world, { configmaps: '2' });
		await uses(world, { configmaps: '1' });
		await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'm' } } });
		await uses(world, { configmaps: '2' });
		t.is((await refusal(core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'n' } } }))).code, 403);
		await core.deleteNamespacedConfigMap({ namespace, name: 'm' });
		await uses(world, { configmaps: '1' });
	},
);

conformance(
	'[sig-api-machinery] ResourceQuota should create a ResourceQuota and capture the life of a pod. [Conformance]',
	async (world) => {
		const { api, namespace, image, t } = world;
		const core = api(CoreV1Api);
		await quota(world, { pods: '5', cpu: '100m', memory: '50Mi', 'requests.example.com/foo': '3' });
		await uses(world, { pods: '0', cpu: '0', memory: '0' });
		const pod = (name: string, cpu: string, memory: string): Promise<V1Pod> =>
			core.createNamespacedPod({
				namespace,
				body: sleeper(
					image,
					name,
					{},
					{ containers: [{ name: 'c', image, command: ['sleep', '3600'], resources: { requests: { cpu, memory } } }] },
				),
			});
		await pod('fits', '60m', '20Mi');
		await uses(world, { pods: '1', cpu: '60m', memory: '20Mi' });
		const { code, message } = await refusal(pod('too-much', '60m', '20Mi'));
		t.is(code, 403);
		t.regex(message, /exceeded quota: q, requested: cpu=60m, used: cpu=60m, limited: cpu=100m/);
		t.is((await refusal(core.createNamespacedPod({ namespace, body: sleeper(image, 'says-nothing') }))).code, 403);
		await core.patchNamespacedPod({ namespace, name: 'fits', body: { metadata: { labels: { a: 'b' } } } }, merge);
		await uses(world, { pods: '1', cpu: '60m', memory: '20Mi' });
		await core.deleteNamespacedPod({ namespace, name: 'fits', gracePeriodSeconds: 0 });
		await uses(world, { pods: '0', cpu: '0', memory: '0' });
	},
);

conformance(
	'[sig-api-machinery] ResourceQuota should create a ResourceQuota and capture the life of a replica set. [Conformance]',
	async (world) => {
		const { api, namespace } = world;
		await quota(world, { 'count/replicasets.apps': '5' });
		await uses(world, { 'count/replicasets.apps': '0' });
		const labels = { app: 'x' };
		const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'none' }] } };
		await api(AppsV1Api).createNamespacedReplicaSet({
			namespace,
			body: { metadata: { name: 'x' }, spec: { replicas: 0, selector: { matchLabels: labels }, template } },
		});
		await uses(world, { 'count/replicasets.apps': '1' });
		await api(AppsV1Api).deleteNamespacedReplicaSet({ namespace, name: 'x' });
		await uses(world, { 'count/replicasets.apps': '0' });
		world.t.pass();
	},
);

conformance(
	'[sig-api-machinery] ResourceQuota should create a ResourceQuota and capture the life of a replication controller. [Conformance]',
	async (world) => {
		const { api, namespace } = world;
		await quota(world, { replicationcontrollers: '5' });
		await uses(world, { replicationcontrollers: '0' });
		const labels = { app: 'x' };
		const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'none' }] } };
		await api(CoreV1Api).createNamespacedReplicationController({
			namespace,
			body: { metadata: { name: 'x' }, spec: { replicas: 0, selector: labels, template } },
		});
		await uses(world, { replicationcontrollers: '1' });
		await api(CoreV1Api).deleteNamespacedReplicationController({ namespace, name: 'x' });
		await uses(world, { replicationcontrollers: '0' });
		world.t.pass();
	},
);

conformance('[sig-api-machinery] ResourceQuota should be able to update and delete ResourceQuota. [Conformance]', async (world) => {
	const { api, namespace, t } = world;
	const core = api(CoreV1Api);
	await quota(world, { cpu: '1', memory: '500Mi' });
	const updated = await eventually('the quota is updated', async () => {
		const body = await core.readNamespacedResourceQuota({ namespace, name: 'q' });
		body.spec = { hard: { cpu: '2', memory: '1Gi' } };
		return core.replaceNamespacedResourceQuota({ namespace, name: 'q', body }).catch(() => undefined);
	});
	t.deepEqual({ ...updated.spec?.hard }, { cpu: '2', memory: '1Gi' });
	await core.deleteNamespacedResourceQuota({ namespace, name: 'q' });
	await eventually('the quota is gone', () => gone(core.readNamespacedResourceQuota({ namespace, name: 'q' })));
});

conformance('[sig-api-machinery] ResourceQuota should manage the lifecycle of a ResourceQuota [Conformance]', async (world) => {
	const { api, namespace, t } = world;
	const core = api(CoreV1Api);
	const { metadata } = await quota(world, { cpu: '500m' });
	t.is((await core.readNamespacedResourceQuota({ namespace, name: 'q' })).metadata?.uid, metadata?.uid);
	const all = await core.listResourceQuotaForAllNamespaces();
	t.true(all.items.some((q) => q.metadata?.uid === metadata?.uid));
	const body = { metadata: { labels: { q: 'patched' } }, spec: { hard: { memory: '750Mi' } } };
	const patched = await core.patchNamespacedResourceQuota({ namespace, name: 'q', body }, merge);
	t.deepEqual([patched.metadata?.labels?.['q'], patched.spec?.hard?.['memory']], ['patched', '750Mi']);
	await core.deleteCollectionNamespacedResourceQuota({ namespace, labelSelector: 'q=patched' });
	await eventually('the quota is gone', async () => (await core.listNamespacedResourceQuota({ namespace })).items.length === 0);
});

conformance('[sig-api-machinery] ResourceQuota should apply changes to a resourcequota status [Conformance]', async (world) => {
	const { api, namespace, t } = world;
	const core = api(CoreV1Api);
	await quota(world, { 'count/events': '4' }); // nothing counts events that may not be
	await eventually(
		'its status is calculated',
		async () => (await core.readNamespacedResourceQuotaStatus({ namespace, name: 'q' })).status?.hard !== undefined,
	);
	const watching = await Watching.start<V1ResourceQuota>(world, `/api/v1/namespaces/${namespace}/resourcequotas`);
	const changed = await eventually('the status is updated', async () => {
		const body = await core.readNamespacedResourceQuotaStatus({ namespace, name: 'q' });
		body.status = { ...body.status, hard: { 'count/events': '4', cpu: '1' } };
		return core.replaceNamespacedResourceQuotaStatus({ namespace, name: 'q', body }).catch(() => undefined);
	});
	t.is(changed.status?.hard?.['cpu'], '1');
	while ((await watching.next()).object.status?.hard?.['cpu'] !== '1');
	const patched = await core.patchNamespacedResourceQuotaStatus(
		{ namespace, name: 'q', body: { status: { hard: { memory: '1Gi' } } } },
		merge,
	);
	t.is(patched.status?.hard?.['memory'], '1Gi');
	while ((await watching.next()).object.status?.hard?.['memory'] !== '1Gi');
});

/** Two quotas of opposite scopes; pods count in the one that is theirs. */
async function scopes(world: World, one: string, other: string, [first, second]: readonly [V1Pod, V1Pod]): Promise<void> {
	const { api, namespace, t } = world;
	const core = api(CoreV1Api);
	const lower = (scope: string): string => scope.toLowerCase();
	for (const scope of [one, other]) await quota(world, { pods: '5' }, lower(scope), { scopes: [scope] });
	for (const scope of [one, other]) await uses(world, { pods: '0' }, lower(scope));
	for (const [pod, mine, notMine] of [
		[first, one, other],
		[second, other, one],
	] as const) {
		const name = pod.metadata?.name ?? '';
		await core.createNamespacedPod({ namespace, body: pod });
		await uses(world, { pods: '1' }, lower(mine));
		await uses(world, { pods: '0' }, lower(notMine));
		await core.deleteNamespacedPod({ namespace, name, gracePeriodSeconds: 0 });
		await uses(world, { pods: '0' }, lower(mine));
	}
	t.pass();
}

conformance('[sig-api-machinery] ResourceQuota should verify ResourceQuota with best effort scope. [Conformance]', (world) => {
	const { image } = world;
	const resources = { requests: { cpu: '10m', memory: '10Mi' } };
	return scopes(world, 'BestEffort', 'NotBestEffort', [
		sleeper(image, 'best'),
		sleeper(image, 'burst', {}, { containers: [{ name: 'c', image, command: ['sleep', '3600'], resources }] }),
	]);
});

conformance('[sig-api-machinery] ResourceQuota should verify ResourceQuota with terminating scopes. [Conformance]', (world) =>
	scopes(world, 'NotTerminating', 'Terminating', [
		sleeper(world.image, 'stays'),
		sleeper(world.image, 'ends', {}, { activeDeadlineSeconds: 3600 }),
	]),
);
