/** A node with the pods on it, and what they leave free. Immutable: a change makes a new one, so that a snapshot costs nothing. */
import type { Node } from '../../api/gen/types.ts';
import type { HostPort } from '../../api/pod/host-ports.ts';
import type { PodInfo } from './pod-info.ts';
import { add, amountsOf, type Amounts } from './resources.ts';

export interface NodeInfo {
	readonly name: string;
	readonly node: Node;
	readonly pods: readonly PodInfo[];
	readonly allocatable: Amounts;
	readonly requested: Amounts;
	/** What the pods weigh when nodes are compared. */
	readonly weighed: Amounts;
	readonly ports: readonly HostPort[];
	/** Image name to size in bytes. */
	readonly images: ReadonlyMap<string, number>;
}

export function nodeInfo(node: Node, pods: readonly PodInfo[]): NodeInfo {
	const images = new Map<string, number>();
	for (const image of node.status?.images ?? []) for (const name of image.names ?? []) images.set(name, image.sizeBytes ?? 0);
	return {
		name: node.metadata.name ?? '',
		node,
		allocatable: amountsOf(node.status?.allocatable),
		images,
		...sumOf(pods),
	};
}

/** The same node with other pods on it. */
export function withPods(info: NodeInfo, pods: readonly PodInfo[]): NodeInfo {
	return { ...info, ...sumOf(pods) };
}

function sumOf(pods: readonly PodInfo[]): Pick<NodeInfo, 'pods' | 'requested' | 'weighed' | 'ports'> {
	const requested = new Map<string, number>();
	const weighed = new Map<string, number>();
	for (const pod of pods) {
		add(requested, pod.requests);
		add(weighed, pod.weighed);
	}
	return { pods, requested, weighed, ports: pods.flatMap((pod) => pod.ports) };
}
