/** What an agent gives to containers piece by piece: processors, memory of nodes, devices. */
import { join } from 'node:path';
import { formatCpuList } from '../../host/cpu-list.ts';
import type { HostFacts } from '../../host/facts.ts';
import { readTopology, type Topology } from '../../host/topology.ts';
import { settingsIn } from '../config/settings.ts';
import { CpuKeeper } from '../cpu/reconcile.ts';
import { openCpus } from '../cpu/open.ts';
import type { StaticCpus } from '../cpu/static-cpus.ts';
import { Devices } from '../device/devices.ts';
import { openMemory } from '../memory/open.ts';
import type { StaticMemory } from '../memory/static-memory.ts';
import { podsShare, reservedMemoryBytes } from '../node/capacity.ts';
import type { AgentDeps, AgentOptions } from '../options.ts';
import type { ContainerPlacement, Runtime } from '../runtime/runtime.ts';
import type { AgentMetrics } from '../metrics.ts';
import { masksFor } from './mask.ts';
import { Placement } from './placement.ts';

export interface PlacementParts {
	readonly topology: Topology;
	readonly placement: Placement;
	readonly devices: Devices;
	readonly cpus: StaticCpus | undefined;
	readonly memory: StaticMemory | undefined;
	/** Until the signal aborts. */
	run(runtime: Runtime, signal: AbortSignal): Promise<void>;
}

export interface PlacementGiven {
	readonly options: AgentOptions;
	readonly deps: AgentDeps;
	readonly host: HostFacts;
	readonly metrics: AgentMetrics;
	/** This machine's unless told. */
	readonly topology?: Topology;
	/** Ends with the agent. */
	readonly signal: AbortSignal;
	/** The node has other devices now. */
	readonly changed: () => void;
	/** What this pod was given may be in another state. */
	readonly wake: (uid: string) => void;
}

/** AppError FailedPrecondition where the configuration does not fit the machine or what an earlier life has given. */
export async function placementParts({
	options,
	deps,
	host,
	metrics,
	signal,
	changed,
	wake,
	...given
}: PlacementGiven): Promise<PlacementParts> {
	const { clock, log } = deps;
	const { rootDir } = options;
	const { placement: settings, resources } = settingsIn(options);
	const { topology = readTopology(host.memoryBytes) } = given;
	const masks = masksFor(topology.nodes, settings);
	const figures = metrics.placement;
	const keeper = new CpuKeeper();
	const reservedMilliCpu = host.cpus * 1000 - podsShare(host, resources).milliCpu;
	const reservedBytes = reservedMemoryBytes(host.memoryBytes, resources);
	const [cpus, memory, devices] = await Promise.all([
		openCpus({ rootDir, settings, reservedMilliCpu, topology, masks, figures, log, changed: () => keeper.soon() }),
		openMemory({ rootDir, settings, reservedBytes, topology, masks, figures, log }),
		Devices.open({ folder: devicePluginsFolder(rootDir), masks, clock, log, figures, signal, changed, wake }),
	]);
	const givers = [...(cpus === undefined ? [] : [cpus]), ...(memory === undefined ? [] : [memory]), devices];
	const { topologyPolicy: policy, topologyScope: scope, preferClosest } = settings;
	return {
		topology,
		devices,
		cpus,
		memory,
		placement: new Placement({ policy, scope, preferClosest, nodes: topology.nodes, givers, figures, clock, log }),
		async run(runtime, until) {
			if (cpus !== undefined) await keeper.run(cpus, { runtime, clock, log }, settings.cpuReconcileMs, until);
		},
	};
}

export function devicePluginsFolder(rootDir: string): string {
	return join(rootDir, 'device-plugins');
}

/** As the runtime is told when a container is made; undefined where it may run anywhere. */
export function placementOf({ cpus, memory }: PlacementParts, uid: string, container: string): ContainerPlacement | undefined {
	if (cpus === undefined && memory === undefined) return undefined;
	return {
		cpus: cpus === undefined ? '' : formatCpuList(cpus.of(uid, container)),
		memoryNodes: formatCpuList(memory?.nodesOf(uid, container) ?? []),
	};
}
