/** Engine names of sandboxes and containers: they, not labels (which an image could carry too), say whose a container is. */
import type { PodSandboxMetadata } from '../proto.ts';

/** The start of every engine name of one shim instance. `instance` is random and kept in the data folder. */
export function namePrefix(clusterName: string, instance: string): string {
	return `kubeling_${clean(clusterName)}-${instance}_`;
}

export function sandboxName(prefix: string, pod: PodSandboxMetadata): string {
	return `${prefix}POD_${clean(pod.name)}_${clean(pod.namespace)}_${clean(pod.uid)}_${pod.attempt}`;
}

export function containerName(
	prefix: string,
	pod: PodSandboxMetadata,
	container: { readonly name: string; readonly attempt: number },
): string {
	return `${prefix}${clean(container.name)}_${clean(pod.name)}_${clean(pod.namespace)}_${clean(pod.uid)}_${container.attempt}`;
}

/** The engine takes [a-zA-Z0-9_.-] only. */
function clean(text: string): string {
	return text.replaceAll(/[^a-zA-Z0-9.-]/g, '-');
}
