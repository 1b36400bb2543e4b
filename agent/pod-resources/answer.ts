/** What the pod resources API says of pods and of the node (upstream pkg/kubelet/apis/podresources). Pure. */
import type { Container, Pod } from '../../api/gen/types.ts';
import type {
	AllocatableResourcesResponse,
	ContainerDevices,
	ContainerMemory,
	ContainerResources,
	PodResources,
	TopologyInfo,
} from '../../wire/gen/podresources.ts';
import { isSidecar } from '../pod/containers.ts';
import { uidOf } from '../pod/uid.ts';
import type { PlacementParts } from '../topology/of-agent.ts';

/** What is read of the managers. */
export type Given = Pick<PlacementParts, 'devices' | 'cpus' | 'memory'>;

/** Init containers that have ended are left out: only sidecars go on. */
export function podResourcesOf(pod: Pod, given: Given): PodResources {
	const { name = '', namespace = '' } = pod.metadata;
	const containers = [...(pod.spec?.initContainers ?? []).filter(isSidecar), ...(pod.spec?.containers ?? [])];
	return { name, namespace, containers: containers.map((container) => containerResources(pod, container, given)), cpuIds: [], memory: [] };
}

export function allocatableResources({ devices, cpus, memory }: Given): AllocatableResourcesResponse {
	return {
		devices: [...devices.allocatable()].flatMap(([resourceName, all]) =>
			all.map(({ id, nodes }): ContainerDevices => ({ resourceName, deviceIds: [id], topology: topologyOf(nodes) })),
		),
		cpuIds: (cpus?.allocatable ?? []).map(BigInt),
		memory: (memory?.allocatable ?? []).flatMap(({ id, allocatable }) => memoryOf(allocatable, [id])),
	};
}

function containerResources(pod: Pod, { name }: Container, { devices, cpus, memory }: Given): ContainerResources {
	const uid = uidOf(pod);
	const block = memory?.block(uid, name);
	return {
		name,
		devices: [...devices.held(uid, name)].flatMap(([resourceName, { byNode }]) =>
			[...byNode].map(
				([node, ids]): ContainerDevices => ({ resourceName, deviceIds: [...ids], topology: topologyOf(node === -1 ? [] : [node]) }),
			),
		),
		cpuIds: (cpus?.exclusive(uid, name) ?? []).map(BigInt),
		memory: block === undefined ? [] : memoryOf(block.bytes, memory?.nodesOf(uid, name) ?? []),
		dynamicResources: [],
	};
}

function memoryOf(bytes: Readonly<Record<string, number>>, nodes: readonly number[]): ContainerMemory[] {
	return Object.entries(bytes)
		.filter(([, size]) => size > 0)
		.map(([memoryType, size]) => ({ memoryType, size: BigInt(size), topology: topologyOf(nodes) }));
}

function topologyOf(nodes: readonly number[]): TopologyInfo | undefined {
	return nodes.length === 0 ? undefined : { nodes: nodes.map((node) => ({ ID: BigInt(node) })) };
}
