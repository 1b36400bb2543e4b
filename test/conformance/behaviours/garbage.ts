/** [sig-api-machinery] Garbage collector. */
import {
	AppsV1Api,
	CoreV1Api,
	PatchStrategy,
	setHeaderOptions,
	type V1OwnerReference,
	type V1Pod,
	type V1PodTemplateSpec,
} from '@kubernetes/client-node';
import { eventually } from '../../tools/eventually.ts';
import { gone, orGone } from '../refusals.ts';
import { sleeper } from '../pods.ts';
import { conformance, type World } from '../suite.ts';

const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
/** Pods that no node takes: what is collected matters, not what runs. */
const template = (app: string, labels: Record<string, string> = { app }): V1PodTemplateSpec => ({
	metadata: { labels },
	spec: { terminationGracePeriodSeconds: 0, nodeSelector: { none: 'none' }, containers: [{ name: 'c', image: 'none' }] },
});
const podsOf = async ({ api, namespace }: World, app: string): Promise<V1Pod[]> =>
	(await api(CoreV1Api).listNamespacedPod({ namespace, labelSelector: `app=${app}` })).items;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function deployment(world: World): Promise<string> {
	const { api, namespace } = world;
	await api(AppsV1Api).createNamespacedDeployment({
		namespace,
		body: { metadata: { name: 'd' }, spec: { replicas: 2, selector: { matchLabels: { app: 'd' } }, template: template('d') } },
	});
	return eventually('the deployment has its replica set', async () => {
		const [set] = (await api(AppsV1Api).listNamespacedReplicaSet({ namespace })).items;
		return set?.metadata?.name;
	});
}

/** A replication controller with this many pods. */
async function controller({ api, namespace, ...world }: World, name: string, replicas: number): Promise<V1OwnerReference> {
	const body = { metadata: { name }, spec: { replicas, selector: { app: name }, template: template(name) } };
	const { metadata } = await api(CoreV1Api).createNamespacedReplicationController({ namespace, body });
	await eventually(`${name} has its pods`, async () => (await podsOf({ ...world, api, namespace }, name)).length === replicas);
	return { apiVersion: 'v1', kind: 'ReplicationController', name, uid: metadata?.uid ?? '' };
}
const removeController = ({ api, namespace }: World, name: string, propagationPolicy: string): Promise<unknown> =>
	api(CoreV1Api).deleteNamespacedReplicationController({ namespace, name, body: { propagationPolicy } });
const controllerGone = ({ api, namespace }: World, name: string): Promise<true> =>
	eventually(`${name} is gone`, async () =>
		(await gone(api(CoreV1Api).readNamespacedReplicationController({ namespace, name }))) ? true : undefined,
	);

conformance(
	'[sig-api-machinery] Garbage collector should delete RS created by deployment when not orphaning [Conformance]',
	async (world) => {
		const { api, namespace, t } = world;
		const name = await deployment(world);
		await api(AppsV1Api).deleteNamespacedDeployment({ namespace, name: 'd', body: { propagationPolicy: 'Background' } });
		await eventually('the replica set is gone', () => gone(api(AppsV1Api).readNamespacedReplicaSet({ namespace, name })));
		await eventually('its pods are gone', async () => (await podsOf(world, 'd')).length === 0);
		t.pass();
	},
);

conformance(
	'[sig-api-machinery] Garbage collector should orphan RS created by deployment when deleteOptions.PropagationPolicy is Orphan [Conformance]',
	async (world) => {
		const { api, namespace, t } = world;
		const name = await deployment(world);
		await api(AppsV1Api).deleteNamespacedDeployment({ namespace, name: 'd', body: { propagationPolicy: 'Orphan' } });
		await eventually('the deployment is gone', () => gone(api(AppsV1Api).readNamespacedDeployment({ namespace, name: 'd' })));
		await pause(1500); // time in which the collector could be wrong
		const set = await api(AppsV1Api).readNamespacedReplicaSet({ namespace, name });
		t.deepEqual([set.metadata?.ownerReferences, set.metadata?.deletionTimestamp], [undefined, undefined]);
	},
);

conformance('[sig-api-machinery] Garbage collector should delete pods created by rc when not orphaning [Conformance]', async (world) => {
	await controller(world, 'rc', 2);
	await removeController(world, 'rc', 'Background');
	await controllerGone(world, 'rc');
	await eventually('its pods are gone', async () => (await podsOf(world, 'rc')).length === 0);
	world.t.pass();
});

conformance(
	'[sig-api-machinery] Garbage collector should orphan pods created by rc if delete options say so [Serial] [Conformance]',
	async (world) => {
		await controller(world, 'rc', 10);
		await removeController(world, 'rc', 'Orphan');
		await controllerGone(world, 'rc');
		await pause(1500); // time in which the collector could be wrong
		const pods = await podsOf(world, 'rc');
		world.t.is(pods.length, 10);
		world.t.true(pods.every((pod) => pod.metadata?.ownerReferences === undefined && pod.metadata?.deletionTimestamp === undefined));
	},
);

conformance(
	'[sig-api-machinery] Garbage collector should keep the rc around until all its pods are deleted if the deleteOptions says so [Serial] [Conformance]',
	async (world) => {
		const { api, namespace, t } = world;
		const core = api(CoreV1Api);
		await controller(world, 'rc', 3);
		const [held] = await podsOf(world, 'rc');
		const name = held?.metadata?.name ?? '';
		await core.patchNamespacedPod({ namespace, name, body: { metadata: { finalizers: ['kubeling.test/held'] } } }, merge);
		await removeController(world, 'rc', 'Foreground');
		await eventually('the other pods are gone', async () => (await podsOf(world, 'rc')).length === 1);
		const rc = await core.readNamespacedReplicationController({ namespace, name: 'rc' });
		t.deepEqual(rc.metadata?.finalizers, ['foregroundDeletion']);
		t.truthy(rc.metadata?.deletionTimestamp);
		await core.patchNamespacedPod({ namespace, name, body: { metadata: { finalizers: null } } }, merge);
		await controllerGone(world, 'rc');
		t.is((await podsOf(world, 'rc')).length, 0);
	},
);

conformance(
	"[sig-api-machinery] Garbage collector should not delete dependents that have both valid owner and owner that's waiting for dependents to be deleted [Serial] [Conformance]",
	async (world) => {
		const { api, namespace, t } = world;
		const core = api(CoreV1Api);
		await controller(world, 'goes', 6);
		const stays = await controller(world, 'stays', 0);
		const shared = (await podsOf(world, 'goes')).slice(0, 3).map((pod) => pod.metadata?.name ?? '');
		for (const name of shared) {
			const body = [{ op: 'add', path: '/metadata/ownerReferences/-', value: stays }];
			await core.patchNamespacedPod({ namespace, name, body }, setHeaderOptions('Content-Type', PatchStrategy.JsonPatch));
		}
		await removeController(world, 'goes', 'Foreground');
		await controllerGone(world, 'goes');
		const left = await podsOf(world, 'goes');
		t.deepEqual(left.map((pod) => pod.metadata?.name).sort(), shared.sort());
		for (const pod of left)
			t.deepEqual(
				pod.metadata?.ownerReferences?.map((o) => o.name),
				['stays'],
			);
	},
);

conformance('[sig-api-machinery] Garbage collector should not be blocked by dependency circle [Conformance]', async (world) => {
	const { api, namespace, image, t } = world;
	const core = api(CoreV1Api);
	const uids = new Map<string, string>();
	for (const name of ['pod1', 'pod2', 'pod3']) {
		const body = sleeper(image, name, {}, { nodeSelector: { none: 'none' } });
		uids.set(name, (await core.createNamespacedPod({ namespace, body })).metadata?.uid ?? '');
	}
	for (const [name, owner] of [
		['pod1', 'pod3'],
		['pod2', 'pod1'],
		['pod3', 'pod2'],
	] as const) {
		const reference = { apiVersion: 'v1', kind: 'Pod', name: owner, uid: uids.get(owner), controller: true, blockOwnerDeletion: true };
		await core.patchNamespacedPod({ namespace, name, body: { metadata: { ownerReferences: [reference] } } }, merge);
	}
	await core.deleteNamespacedPod({ namespace, name: 'pod1', body: { propagationPolicy: 'Foreground', gracePeriodSeconds: 0 } });
	await eventually('all three are gone', async () => {
		const left = await Promise.all([...uids.keys()].map((name) => orGone(core.readNamespacedPod({ namespace, name }))));
		return left.every((pod) => pod === undefined);
	});
	t.pass();
});
