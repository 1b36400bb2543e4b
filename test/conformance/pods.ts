/** Pods for tests: from the local image, ended at once. */
import { CoreV1Api, type V1Node, type V1Pod, type V1PodSpec } from '@kubernetes/client-node';
import { eventually } from '../tools/eventually.ts';
import type { World } from './suite.ts';

/** A pod that sleeps; `more` goes over the pod, `spec` over its spec. */
export const sleeper = (image: string, name: string, more: Partial<V1Pod> = {}, spec: Partial<V1PodSpec> = {}): V1Pod => ({
	metadata: { name },
	...more,
	spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image, command: ['sleep', '3600'] }], ...spec },
});

/** Resolves with the pod once its phase is the one told. */
export function inPhase({ api, namespace }: World, name: string, phase: string): Promise<V1Pod> {
	return eventually(`${name} is ${phase}`, async () => {
		const pod = await api(CoreV1Api).readNamespacedPod({ namespace, name });
		return pod.status?.phase === phase ? pod : undefined;
	});
}

/** The cluster's own node: other tests make nodes that no kubelet stands behind. */
export async function nodeOf({ t, api }: World): Promise<V1Node> {
	const { items } = await api(CoreV1Api).listNode();
	const node = items.find(({ status }) => status?.nodeInfo?.kubeletVersion);
	return node ?? t.fail('no node has a kubelet');
}
