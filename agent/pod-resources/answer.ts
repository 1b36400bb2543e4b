/** What the pod resources API says of pods and of the node (upstream pkg/kubelet/apis/podresources). Pure. */
import type { Container, Pod } from '../../api/gen/types.ts';
import type {
	AllocatableResourcesResponse,
	ContainerDevices,
	ContainerMemory,
	ContainerResources,
	DynamicResource,
	PodResources,
	TopologyInfo,
} from '../../wire/gen/podresources.ts';
import type { DynamicClaims } from '../dra/claims.ts';
import { isSidecar } from '../pod/containers.ts';
import { uidOf } from '../pod/uid.ts';
import type { PlacementParts } from '../topology/of-agent.ts';

/** What is read of the managers. */
export interface Given {
	readonly placed: Pick<PlacementParts, 'devices' | 'cpus' | 'memory'>;
	readonly dra: { readonly claims: Pick<DynamicClaims, 'devicesOf'> };
}

/** Init containers that have ended are left out: only sidecars go on. */
export function podResourcesOf(pod: Pod, given: Given): PodResources {
	const { name = '', namespace = '' } = pod.metadata;
	const containers = [...(pod.spec?.initContainers ?? []).filter(isSidecar), ...(pod.spec?.containers ?? [])];
	return { name, namespace, containers: containers.map((container) => containerResources(pod, container, given)), cpuIds: [], memory: [] };
}

/** As v1alpha1 has it: devices alone, of containers alone, and nothing of where they are. */
export function podDevicesOf(pod: Pod, given: Given): PodResources {
	const whole = podResourcesOf({ ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], initContainers: [] } }, given);
	const containers = whole.containers.map(({ name, devices }) => ({
		...{ name, cpuIds: [], memory: [], dynamicResources: [] },
		devices: devices.map(({ resourceName, deviceIds }) => ({ resourceName, deviceIds, topology: undefined })),
	}));
	return { ...whole, containers };
}

export function allocatableResources({ placed: { devices, cpus, memory } }: Given): AllocatableResourcesResponse {
	return {
		devices: [...devices.allocatable()].flatMap(([resourceName, all]) =>
			all.map(({ id, nodes }): ContainerDevices => ({ resourceName, deviceIds: [id], topology: topologyOf(nodes) })),
		),
		cpuIds: (cpus?.allocatable ?? []).map(BigInt),
		memory: (memory?.allocatable ?? []).flatMap(({ id, allocatable }) => memoryOf(allocatable, [id])),
	};
}

function containerResources(pod: Pod, container: Container, { placed: { devices, cpus, memory }, dra }: Given): ContainerResources {
	const { name } = container;
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
		dynamicResources: dra.claims.devicesOf(pod, container).map(dynamicResource),
	};
}

function dynamicResource({ claim, devices }: ReturnType<DynamicClaims['devicesOf']>[number]): DynamicResource {
	return {
		claimName: claim.name,
		claimNamespace: claim.namespace,
		claimResources: devices.map(({ cdi, driver, pool, device, shareId }) => ({
			cdiDevices: cdi.map((name) => ({ name })),
			driverName: driver,
			poolName: pool,
			deviceName: device,
			shareId,
		})),
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
