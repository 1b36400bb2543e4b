/** The CPU manager as it is configured: what was given in an earlier life, and what is reserved. */
import { AppError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { formatCpuList } from '../../host/cpu-list.ts';
import type { Topology } from '../../host/topology.ts';
import type { PlacementSettings } from '../config/placement-settings.ts';
import { Saver } from '../saver.ts';
import { Assignments } from '../topology/assignments.ts';
import type { PlacementFigures } from '../topology/figures.ts';
import type { Mask } from '../topology/mask.ts';
import { idsOf, layoutOf, type Layout } from './layout.ts';
import { readCpuState, stateFault, writeCpuState } from './state.ts';
import { StaticCpus, takeBy } from './static-cpus.ts';

export interface OpenCpus {
	readonly rootDir: string;
	readonly settings: PlacementSettings;
	/** kubeReserved and systemReserved. */
	readonly reservedMilliCpu: number;
	readonly topology: Topology;
	readonly masks: readonly Mask[];
	readonly figures: PlacementFigures;
	readonly log: Log;
	/** The processors that containers share are others now. */
	readonly changed: () => void;
}

/** Undefined with the policy "none". AppError FailedPrecondition where the configuration does not fit the machine or an earlier life. */
export async function openCpus(given: OpenCpus): Promise<StaticCpus | undefined> {
	const { rootDir, settings, topology, masks, figures, log } = given;
	const { cpuPolicy, cpuOptions } = settings;
	const before = await readCpuState(rootDir, cpuPolicy);
	if (cpuPolicy === 'none') return undefined;
	const layout = layoutOf(topology);
	const all = idsOf(layout.cpus);
	checkOptions(settings, layout);
	const reserved = reservedOf(given, layout);
	const shared = cpuOptions.strictReservation ? all.filter((id) => !reserved.includes(id)) : all;
	const state = before ?? { assigned: new Assignments<readonly number[]>(), shared };
	const fault = stateFault(state, all, reserved, cpuOptions.strictReservation);
	if (fault !== '')
		throw new AppError('FailedPrecondition', `[cpumanager] ${fault}: invalid state, please drain node and remove policy state file`);
	const saver = new Saver(
		() => writeCpuState(rootDir, cpus.state),
		(error) => log.error('cannot keep which processors containers have', { reason: messageOf(error) }),
	);
	const changed = (): void => {
		tell(figures, cpus, layout);
		saver.changed();
		given.changed();
	};
	const cpus: StaticCpus = new StaticCpus({
		layout,
		masks,
		options: cpuOptions,
		reserved,
		state,
		changed,
		saved: () => saver.saved(),
		figures,
	});
	tell(figures, cpus, layout);
	saver.changed();
	log.info('containers of guaranteed pods get processors of their own', {
		reserved: formatCpuList(reserved),
		shared: formatCpuList(state.shared),
	});
	return cpus;
}

function tell(figures: PlacementFigures, { available, state }: StaticCpus, layout: Layout): void {
	const alone = new Set(state.assigned.all().flat());
	figures.sharedMilliCpus.set(available.length * 1000);
	figures.exclusiveCpus.set(alone.size);
	const nodes = Map.groupBy(layout.cpus, (cpu) => cpu.numa);
	for (const [node, cpus] of nodes) figures.cpusOfNode.set({ numa_node: String(node) }, cpus.filter(({ id }) => alone.has(id)).length);
}

function reservedOf({ settings, reservedMilliCpu }: OpenCpus, layout: Layout): readonly number[] {
	const { reservedCpus, cpuOptions } = settings;
	const unknown = reservedCpus.filter((id) => !layout.cpus.some((cpu) => cpu.id === id));
	if (unknown.length > 0)
		throw new AppError('FailedPrecondition', `[cpumanager] reservedSystemCPUs: this machine has no CPUs ${formatCpuList(unknown)}`);
	return reservedCpus.length > 0 ? reservedCpus : idsOf(takeBy(cpuOptions, layout, layout.cpus, Math.ceil(reservedMilliCpu / 1000)));
}

function checkOptions({ cpuOptions, topologyPolicy }: PlacementSettings, { sockets, numaNodes }: Layout): void {
	if (!cpuOptions.alignBySocket) return;
	const fault = (why: string): AppError => new AppError('FailedPrecondition', `[cpumanager] ${why}`);
	if (topologyPolicy === 'single-numa-node')
		throw fault('Topology manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option');
	if (sockets > numaNodes)
		throw fault('Align by socket is not compatible with hardware where number of sockets are more than number of NUMA');
}
