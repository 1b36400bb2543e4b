/** Engine labels: for people, for `docker ps --filter` and for filtering events; identity stands in names and checkpoints. */
import type { PodSandboxMetadata } from '../proto.ts';

export const INSTANCE_LABEL = 'io.kubeling.instance';

export function podLabels(pod: PodSandboxMetadata | undefined, instance: string, container: string): Readonly<Record<string, string>> {
	return {
		[INSTANCE_LABEL]: instance,
		'io.kubernetes.container.name': container,
		'io.kubernetes.pod.name': pod?.name ?? '',
		'io.kubernetes.pod.namespace': pod?.namespace ?? '',
		'io.kubernetes.pod.uid': pod?.uid ?? '',
	};
}
