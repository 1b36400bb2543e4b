/** What this node has too little of for a pod (upstream lifecycle/predicate.go, removeMissingExtendedResources). Pure. */
import type { Container, Node, Pod } from '../../api/gen/types.ts';
import { shortages, type Shortage } from '../../api/pod/fit.ts';
import { isExtendedResource } from '../../api/validation/pod/resources.ts';
import { isOfClaim } from '../dra/extended.ts';

export function shortagesHere(pod: Pod, node: Node, others: readonly Pod[]): readonly Shortage[] {
	return shortages(countedHere(pod, node), node, others);
}

/** Without the extended resources that are devices of a claim, and those that this node does not have: they are the cluster's, and the scheduler counts them. */
function countedHere(pod: Pod, node: Node): Pod {
	const here = node.status?.allocatable ?? {};
	const counted = (container: Container): Container => {
		const requests = Object.entries(container.resources?.requests ?? {}).filter(
			([name]) => !isOfClaim(pod, container.name, name) && (name in here || !isExtendedResource(name)),
		);
		return { ...container, resources: { ...container.resources, requests: Object.fromEntries(requests) } };
	};
	const { containers = [], initContainers = [] } = pod.spec ?? {};
	return { ...pod, spec: { ...pod.spec, containers: containers.map(counted), initContainers: initContainers.map(counted) } };
}
