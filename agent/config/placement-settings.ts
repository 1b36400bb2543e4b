/** What a KubeletConfiguration says of which processors, memory and nodes of it containers get. Pure; most words of faults are upstream's. */
import { parseQuantity } from '../../api/quantity.ts';
import { parseDuration } from '../../api/time.ts';
import { parseCpuList } from '../../host/cpu-list.ts';
import { cpuPolicyOptionFaults, cpuPolicyOptionsOf, type CpuPolicyOptions } from '../cpu/policy-options.ts';
import type { CpuPolicy } from '../cpu/state.ts';
import { amountOf } from '../pod/amounts.ts';
import type { TopologyPolicy } from '../topology/merge.ts';
import type { KubeletConfiguration } from './configuration.ts';
import { parseGoBool } from './go-bool.ts';

export type MemoryPolicy = 'None' | 'Static';

export interface PlacementSettings {
	readonly cpuPolicy: CpuPolicy;
	readonly cpuOptions: CpuPolicyOptions;
	/** Empty: as many as are reserved by amount. */
	readonly reservedCpus: readonly number[];
	readonly cpuReconcileMs: number;
	readonly memoryPolicy: MemoryPolicy;
	/** Bytes by node and resource. */
	readonly reservedMemory: ReadonlyMap<number, Readonly<Record<string, number>>>;
	readonly topologyPolicy: TopologyPolicy;
	readonly topologyScope: 'container' | 'pod';
	readonly preferClosest: boolean;
	/** With more of them, too many sets of nodes would have to be looked at. */
	readonly maxNumaNodes: number;
}

export const PLACEMENT_FIELDS: readonly string[] = [
	...['cpuManagerPolicy', 'cpuManagerPolicyOptions', 'cpuManagerReconcilePeriod', 'reservedSystemCPUs', 'memoryManagerPolicy'],
	...['reservedMemory', 'topologyManagerPolicy', 'topologyManagerScope', 'topologyManagerPolicyOptions'],
];

const TOPOLOGY_POLICIES = ['none', 'best-effort', 'restricted', 'single-numa-node'];
const PREFER_CLOSEST = 'prefer-closest-numa-nodes';
const MAX_NODES = 'max-allowable-numa-nodes';
/** Upstream's. */
const DEFAULT_MAX_NODES = 8;

interface ReservedMemory {
	readonly numaNode?: number;
	readonly limits?: Readonly<Record<string, string>>;
}

export function placementSettingsOf(given: KubeletConfiguration): PlacementSettings {
	const text = <T extends string>(field: string, fallback: T): T => ((given[field] as T | undefined) || undefined) ?? fallback;
	const topologyOptions = optionsOf(given, 'topologyManagerPolicyOptions');
	return {
		cpuPolicy: text<CpuPolicy>('cpuManagerPolicy', 'none'),
		cpuOptions: cpuPolicyOptionsOf(optionsOf(given, 'cpuManagerPolicyOptions')),
		reservedCpus: parseCpuList(text('reservedSystemCPUs', '')),
		cpuReconcileMs: Number(parseDuration(text('cpuManagerReconcilePeriod', '10s')) / 1_000_000n) || 10_000,
		memoryPolicy: text<MemoryPolicy>('memoryManagerPolicy', 'None'),
		reservedMemory: new Map(
			reservedMemoryOf(given).map(({ numaNode = 0, limits = {} }) => [
				numaNode,
				Object.fromEntries(Object.entries(limits).map(([name, quantity]) => [name, amountOf(quantity)])),
			]),
		),
		topologyPolicy: text<TopologyPolicy>('topologyManagerPolicy', 'none'),
		topologyScope: text<'container' | 'pod'>('topologyManagerScope', 'container'),
		preferClosest: parseGoBool(topologyOptions[PREFER_CLOSEST] ?? '') === true,
		maxNumaNodes: Number(topologyOptions[MAX_NODES] ?? DEFAULT_MAX_NODES),
	};
}

export function placementFaults(config: KubeletConfiguration): readonly string[] {
	const faults: string[] = [];
	const oneOf = (field: string, values: readonly string[]): void => {
		const value = config[field] as string | undefined;
		if (value && !values.includes(value)) faults.push(`${field} ${JSON.stringify(value)} must be one of ${values.join(', ')}`);
	};
	oneOf('cpuManagerPolicy', ['none', 'static']);
	oneOf('memoryManagerPolicy', ['None', 'Static']);
	oneOf('topologyManagerPolicy', TOPOLOGY_POLICIES);
	oneOf('topologyManagerScope', ['container', 'pod']);
	faults.push(
		...cpuOptionFaults(config),
		// Without a policy nobody reads them.
		...((config['topologyManagerPolicy'] || 'none') === 'none'
			? []
			: topologyOptionFaults(optionsOf(config, 'topologyManagerPolicyOptions'))),
		...reservedCpuFaults(config),
		...reservedMemoryFaults(config),
	);
	return faults.map((fault) => `invalid configuration: ${fault}`);
}

function cpuOptionFaults(config: KubeletConfiguration): readonly string[] {
	const given = optionsOf(config, 'cpuManagerPolicyOptions');
	const gates = (config['featureGates'] as Readonly<Record<string, boolean>> | undefined) ?? {};
	if (config['cpuManagerPolicy'] === 'static')
		return cpuPolicyOptionFaults(given, {
			alpha: gates['CPUManagerPolicyAlphaOptions'] === true,
			beta: gates['CPUManagerPolicyBetaOptions'] !== false,
		});
	const pairs = Object.entries(given).map(([name, value]) => `${name}:${value}`);
	return pairs.length === 0 ? [] : [`None policy: received unsupported options=map[${pairs.toSorted().join(' ')}]`];
}

function topologyOptionFaults(given: Readonly<Record<string, string>>): readonly string[] {
	return Object.entries(given).flatMap(([name, value]) => {
		if (name === PREFER_CLOSEST)
			return parseGoBool(value) !== undefined ? [] : [`bad value for option "${name}": ${JSON.stringify(value)}`];
		if (name !== MAX_NODES) return [`unknown Topology Manager Policy option: "${name}"`];
		if (!/^\d+$/.test(value)) return [`unable to convert policy option to integer "${name}": ${JSON.stringify(value)}`];
		return Number(value) < DEFAULT_MAX_NODES ? [`the minimum value of "${name}" should not be less than ${DEFAULT_MAX_NODES}`] : [];
	});
}

function reservedCpuFaults(config: KubeletConfiguration): readonly string[] {
	const list = (config['reservedSystemCPUs'] as string | undefined) ?? '';
	try {
		if (parseCpuList(list).length > 0)
			return ['systemReservedCgroup', 'kubeReservedCgroup'].some((field) => config[field])
				? [
						`can't use reservedSystemCPUs (--reserved-cpus) with systemReservedCgroup (--system-reserved-cgroup) or kubeReservedCgroup (--kube-reserved-cgroup)`,
					]
				: [];
	} catch {
		return [`unable to parse reservedSystemCPUs (--reserved-cpus) ${JSON.stringify(list)}`];
	}
	const reserved = ['kubeReserved', 'systemReserved'].map(
		(field) => (config[field] as Readonly<Record<string, string>> | undefined)?.['cpu'] ?? '0',
	);
	return config['cpuManagerPolicy'] === 'static' && reserved.every((cpu) => amountOf(cpu) === 0)
		? ['the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero']
		: [];
}

function reservedMemoryFaults(config: KubeletConfiguration): readonly string[] {
	const seen = new Set<string>();
	return reservedMemoryOf(config).flatMap(({ numaNode, limits }) => {
		if (!Number.isInteger(numaNode) || limits === undefined) return ['each of reservedMemory must name a numaNode and its limits'];
		return Object.entries(limits).flatMap(([name, quantity]) => {
			const twice = seen.has(`${numaNode}/${name}`);
			seen.add(`${numaNode}/${name}`);
			if (name !== 'memory' && !name.startsWith('hugepages-'))
				return [`the limit type "${name}" for NUMA node ${numaNode} is not allowed, only [memory hugepages-<HugePageSize>] allowed`];
			if (twice) return [`the reserved memory has a duplicate value for NUMA node ${numaNode} and resource "${name}"`];
			try {
				return parseQuantity(quantity).nano > 0n
					? []
					: [`reserved memory may not be zero for NUMA node ${numaNode} and resource "${name}"`];
			} catch {
				return [`the reserved memory ${JSON.stringify(quantity)} for NUMA node ${numaNode} is no quantity`];
			}
		});
	});
}

function reservedMemoryOf(config: KubeletConfiguration): readonly ReservedMemory[] {
	return (config['reservedMemory'] as readonly ReservedMemory[] | undefined) ?? [];
}

function optionsOf(config: KubeletConfiguration, field: string): Readonly<Record<string, string>> {
	return (config[field] as Readonly<Record<string, string>> | undefined) ?? {};
}
