/** Amounts of a resource that containers of a pod hold at the same time. Pure. */
import type { Container, Pod } from '../../api/gen/types.ts';
import { isSidecar } from '../pod/containers.ts';

/** Init containers run one after the other beside the sidecars before them; the rest all run at once. */
export function podAmount(pod: Pod, of: (container: Container) => number): number {
	let [sidecars, most] = [0, 0];
	for (const container of pod.spec?.initContainers ?? []) {
		if (isSidecar(container)) sidecars += of(container);
		else most = Math.max(most, sidecars + of(container));
	}
	const apps = (pod.spec?.containers ?? []).reduce((sum, container) => sum + of(container), 0);
	return Math.max(most, sidecars + apps);
}

/** Init containers, then the others: in the order in which they are given their resources. */
export function inOrder(pod: Pod): readonly Container[] {
	return [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
}

/** What it has can be given to those after it: it ends before they begin. */
export function endsFirst(pod: Pod, container: Container): boolean {
	return !isSidecar(container) && (pod.spec?.initContainers ?? []).some(({ name }) => name === container.name);
}
