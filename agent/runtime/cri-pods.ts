/** What a CRI runtime lists one by one, together by pod. Pure. */
import { POD_UID } from './cri-config.ts';

interface PodName {
	readonly uid: string;
	readonly name: string;
	readonly namespace: string;
}

/** Whose a container is, as its labels say; it is nobody's without a uid. */
export function podNameIn(labels: Readonly<Record<string, string>>): PodName {
	return {
		uid: labels[POD_UID] ?? '',
		name: labels['io.kubernetes.pod.name'] ?? '',
		namespace: labels['io.kubernetes.pod.namespace'] ?? '',
	};
}

export function byPod<S, C>(
	sandboxes: readonly (readonly [of: PodName | undefined, sandbox: S])[],
	containers: readonly (readonly [of: PodName, container: C])[],
): readonly (PodName & { readonly sandboxes: S[]; readonly containers: C[] })[] {
	const pods = new Map<string, PodName & { readonly sandboxes: S[]; readonly containers: C[] }>();
	const podOf = ({ uid, name, namespace }: PodName) => {
		const pod = pods.get(uid) ?? { uid, name, namespace, sandboxes: [], containers: [] };
		pods.set(uid, pod);
		return pod;
	};
	for (const [of, sandbox] of sandboxes) if (of !== undefined) podOf(of).sandboxes.push(sandbox);
	for (const [of, container] of containers) if (of.uid !== '') podOf(of).containers.push(container);
	return [...pods.values()];
}
