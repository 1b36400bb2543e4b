/** [sig-node] Pods: from their creation to their end, as a client sees it. */
import { CoreV1Api, type V1Pod } from '@kubernetes/client-node';
import { eventually } from '../../../tools/eventually.ts';
import { patch } from '../../patch.ts';
import { gone } from '../../refusals.ts';
import { conformance } from '../../suite.ts';
import { Watching } from '../../watching.ts';
import { BOUND_MS, containerOf, create, isReady, nameOf, read, remove, running, STAYS } from '../pod.ts';

conformance('[sig-node] Pods should be submitted and removed [NodeConformance] [Conformance]', async (world) => {
	const { t, api, namespace } = world;
	const pods = `/api/v1/namespaces/${namespace}/pods`;
	const labels = { name: 'foo' };
	const watching = await Watching.start<V1Pod>(world, pods, { labelSelector: 'name=foo' });
	await running(world, { name: 'submitted', script: STAYS, metadata: { labels }, spec: { terminationGracePeriodSeconds: 30 } });
	t.is((await watching.next('ADDED')).object.metadata?.name, 'submitted');
	await remove(world, 'submitted', 30);
	const { object } = await watching.next('DELETED');
	t.truthy(object.metadata?.deletionTimestamp);
	t.is(object.status?.containerStatuses?.[0]?.state?.running, undefined);
	t.is((await api(CoreV1Api).listNamespacedPod({ namespace, labelSelector: 'name=foo' })).items.length, 0);
});

conformance('[sig-node] Pods should delete a collection of pods [Conformance]', async (world) => {
	const { t, api, namespace } = world;
	const labelSelector = 'type=Testing';
	const names = ['one', 'two', 'three'];
	await Promise.all(names.map((name) => create(world, { name, script: STAYS, metadata: { labels: { type: 'Testing' } } })));
	t.is((await api(CoreV1Api).listNamespacedPod({ namespace, labelSelector })).items.length, 3);
	await api(CoreV1Api).deleteCollectionNamespacedPod({ namespace, labelSelector, gracePeriodSeconds: 1 });
	await eventually(
		'all are gone',
		async () => (await api(CoreV1Api).listNamespacedPod({ namespace, labelSelector })).items.length === 0,
		BOUND_MS,
	);
});

conformance('[sig-node] Pods should patch a pod status [Conformance]', async (world) => {
	const { t, api, namespace } = world;
	const name = nameOf(await running(world, { script: STAYS }));
	const condition = { type: 'TestConditionType', status: 'True', reason: 'Patched', message: 'by a test' };
	const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
	t.is((await patch(world, path, { status: { message: 'Patched by e2e test', reason: 'E2E', conditions: [condition] } })).code, 200);
	const { status } = await api(CoreV1Api).readNamespacedPodStatus({ namespace, name });
	t.like(
		status?.conditions?.find(({ type }) => type === condition.type),
		condition,
	);
	// What is none of the node's own stays when the node writes next.
	t.is((await patch(world, path, { metadata: { labels: { touched: 'yes' } } })).code, 200);
	t.truthy((await read(world, name)).status?.conditions?.find(({ type }) => type === condition.type));
});

conformance('[sig-node] Pods should run through the lifecycle of Pods and PodStatus [Conformance]', async (world) => {
	const { t, api, namespace, image } = world;
	const core = api(CoreV1Api);
	const pods = `/api/v1/namespaces/${namespace}/pods`;
	const watching = await Watching.start<V1Pod>(world, pods, { labelSelector: 'test-pod-static=true' });
	const spec = { containers: [containerOf(world, STAYS, { name: 'pod-test' })] };
	await create(world, { name: 'lived', spec, metadata: { labels: { 'test-pod-static': 'true' } } });
	await watching.next('ADDED');
	const seen = async (what: (pod: V1Pod) => boolean): Promise<V1Pod> => {
		for (;;) {
			const { object } = await watching.next('MODIFIED');
			if (what(object)) return object;
		}
	};
	await seen(isReady);
	const change = { metadata: { labels: { 'test-pod': 'patched' } }, spec: { containers: [{ name: 'pod-test', image }] } };
	t.is((await patch(world, `${pods}/lived`, change)).code, 200);
	const patched = await seen((pod) => pod.metadata?.labels?.['test-pod'] === 'patched');
	t.is(patched.spec?.containers[0]?.image, image);
	// A status that a client writes: kept in what is the client's, and put right in what is the node's.
	const not = { type: 'Ready', status: 'False' };
	await eventually('the status is written', async () => {
		const pod = await core.readNamespacedPodStatus({ namespace, name: 'lived' });
		const conditions = pod.status?.conditions?.map((c) => (c.type === 'Ready' ? { ...c, ...not } : c)) ?? [];
		const answer = await world.raw('PUT', `${pods}/lived/status`, { body: { ...pod, status: { ...pod.status, conditions } } });
		return answer.code === 200 && answer.json<V1Pod>().status?.conditions?.find((c) => c.type === 'Ready')?.status === 'False';
	});
	await seen(isReady);
	await core.deleteCollectionNamespacedPod({ namespace, labelSelector: 'test-pod-static=true', gracePeriodSeconds: 0 });
	await watching.next('DELETED');
	t.true(await gone(read(world, 'lived')));
});
