/** The node's status. Pure; conditions with upstream's reasons and messages. */
import type { Node, NodeCondition, NodeStatus } from '../../api/gen/types.ts';
import { timeOf } from '../../api/time.ts';
import type { HostFacts } from '../../host/facts.ts';
import type { ImageInfo, RuntimeStatus } from '../runtime/runtime.ts';
import { addressesOf } from './addresses.ts';
import type { Capacity } from './capacity.ts';
import type { Pressure } from '../eviction/observation.ts';
import { DECLARED_FEATURES } from './declared-features.ts';

export interface NodeSeen {
	readonly now: number;
	readonly host: HostFacts;
	readonly capacity: Capacity;
	readonly addresses: readonly string[];
	/** Where others reach it, such as the address of a NAT before it. */
	readonly externalAddresses?: readonly string[];
	readonly port: number;
	readonly version: string;
	readonly runtime: Pick<RuntimeStatus, 'name' | 'version' | 'handlers' | 'supplementalGroupsPolicy'>;
	/** Why the node is not ready; empty when it is. */
	readonly notReady: string;
	readonly pressure: Pressure;
	readonly images: readonly ImageInfo[];
	/** So many of them are told of; -1: all. */
	readonly maxImages: number;
}

/** Upstream's number of names of an image. */
const MAX_IMAGE_NAMES = 5;

/** @param node as the API has it: resources set by others are kept */
export function nodeStatusOf(node: Node, seen: NodeSeen): NodeStatus {
	const own = new Set(Object.keys(seen.capacity.capacity));
	const foreign = Object.fromEntries(Object.entries(node.status?.capacity ?? {}).filter(([name]) => !own.has(name)));
	return {
		capacity: { ...foreign, ...seen.capacity.capacity },
		allocatable: { ...foreign, ...seen.capacity.allocatable },
		conditions: conditionsOf(node.status?.conditions ?? [], seen),
		addresses: [...addressesOf({ nodeName: node.metadata.name ?? '', nodeIps: seen.addresses, externalIps: seen.externalAddresses ?? [] })],
		daemonEndpoints: { kubeletEndpoint: { Port: seen.port } },
		nodeInfo: {
			machineID: seen.host.machineId,
			systemUUID: seen.host.systemUuid,
			bootID: seen.host.bootId,
			kernelVersion: seen.host.kernelVersion,
			osImage: seen.host.osImage,
			containerRuntimeVersion: `${seen.runtime.name}://${seen.runtime.version}`,
			kubeletVersion: seen.version,
			kubeProxyVersion: '',
			operatingSystem: 'linux',
			architecture: seen.host.architecture,
			...(seen.host.swapBytes > 0 ? { swap: { capacity: seen.host.swapBytes } } : {}),
		},
		images: [...seen.images]
			.sort((a, b) => b.sizeBytes - a.sizeBytes)
			.slice(0, seen.maxImages < 0 ? undefined : seen.maxImages)
			.map((i) => ({ names: [...i.digests, ...i.tags].slice(0, MAX_IMAGE_NAMES), sizeBytes: i.sizeBytes })),
		runtimeHandlers: seen.runtime.handlers.map(({ name, ...features }) => ({ name, features })),
		features: { supplementalGroupsPolicy: seen.runtime.supplementalGroupsPolicy },
		declaredFeatures: [...DECLARED_FEATURES],
	};
}

function conditionsOf(before: readonly NodeCondition[], { now, notReady, pressure }: NodeSeen): NodeCondition[] {
	const time = timeOf(now);
	const verdicts: readonly (readonly [string, boolean, string, string])[] = [
		[
			'MemoryPressure',
			pressure.memory,
			...text(pressure.memory, 'KubeletHasInsufficientMemory', 'KubeletHasSufficientMemory', 'memory available'),
		],
		['DiskPressure', pressure.disk, ...text(pressure.disk, 'KubeletHasDiskPressure', 'KubeletHasNoDiskPressure', 'disk pressure')],
		['PIDPressure', pressure.pid, ...text(pressure.pid, 'KubeletHasInsufficientPID', 'KubeletHasSufficientPID', 'PID available')],
		[
			'Ready',
			notReady === '',
			notReady === '' ? 'KubeletReady' : 'KubeletNotReady',
			notReady === '' ? 'kubelet is posting ready status' : notReady,
		],
	];
	return verdicts.map(([type, holds, reason, message]) => {
		const status = holds ? 'True' : 'False';
		const old = before.find((c) => c.type === type);
		const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? time) : time;
		return { type, status, reason, message, lastHeartbeatTime: time, lastTransitionTime };
	});
}

function text(holds: boolean, bad: string, good: string, noun: string): readonly [string, string] {
	const word = noun === 'disk pressure' ? (holds ? 'has' : 'has no') : holds ? 'has insufficient' : 'has sufficient';
	return [holds ? bad : good, `kubelet ${word} ${noun}`];
}

/** What only the passing of time changes does not count. */
export function sameStatus(a: NodeStatus | undefined, b: NodeStatus): boolean {
	return JSON.stringify(strip(a)) === JSON.stringify(strip(b));
}

function strip(status: NodeStatus | undefined): unknown {
	if (status === undefined) return undefined;
	const { capacity, allocatable, addresses, daemonEndpoints, nodeInfo, images, runtimeHandlers, features, volumesInUse, declaredFeatures } =
		status;
	const conditions = (status.conditions ?? [])
		.map(({ type, status: s, reason, message }) => [type, s, reason, message].join('\n'))
		.toSorted();
	const sorted = (record: Readonly<Record<string, string>> | undefined): unknown => ({ ...record });
	const rest = [addresses, daemonEndpoints, nodeInfo, images, runtimeHandlers, features, volumesInUse ?? [], declaredFeatures ?? []];
	return [sorted(capacity), sorted(allocatable), conditions, ...rest].map((part) => sortKeys(part));
}

function sortKeys(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sortKeys);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.filter(([, v]) => v !== undefined && v !== '' && !(Array.isArray(v) && v.length === 0))
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([k, v]) => [k, sortKeys(v)]),
	);
}
