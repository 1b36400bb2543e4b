/** Processors for one container alone: the static policy of the CPU manager (upstream cpumanager/policy_static.go). */
import type { Container, Pod } from '../../api/gen/types.ts';
import { uidOf } from '../pod/uid.ts';
import { podAmount, endsFirst, inOrder } from '../topology/amounts.ts';
import type { Assignments } from '../topology/assignments.ts';
import { ONE_CACHE, WHOLE_CORES, type PlacementFigures } from '../topology/figures.ts';
import { hintsOf, type Giver, type Hint, type Hints } from '../topology/hint.ts';
import { has, sizeOf, type Mask } from '../topology/mask.ts';
import { NotAdmitted } from '../topology/not-admitted.ts';
import { takeDistributed } from './distribute.ts';
import { exclusiveCpus } from './exclusive.ts';
import { groupsOf, idsOf, only, without, type Cpus, type Layout } from './layout.ts';
import type { CpuPolicyOptions } from './policy-options.ts';
import type { CpuState } from './state.ts';
import { takePacked } from './take.ts';

export interface StaticCpusOptions {
	readonly layout: Layout;
	/** Every set of the machine's NUMA nodes. */
	readonly masks: readonly Mask[];
	readonly options: CpuPolicyOptions;
	/** For the system, never given to one container alone. */
	readonly reserved: readonly number[];
	/** Of an earlier life, or empty. */
	readonly state: CpuState;
	/** Told when what the others share has changed. */
	readonly changed: () => void;
	/** Resolves once that is on disk; throws what keeps it from there. */
	readonly saved: () => Promise<void>;
	readonly figures: Pick<PlacementFigures, 'cpuPinnings' | 'cpuPinningErrors' | 'aligned' | 'notAligned'>;
}

export class StaticCpus implements Giver {
	readonly #given: StaticCpusOptions;
	readonly #assigned: Assignments<readonly number[]>;
	#shared: Cpus;

	constructor(given: StaticCpusOptions) {
		this.#given = given;
		this.#assigned = given.state.assigned;
		this.#shared = only(given.layout.cpus, given.state.shared);
		for (const what of [WHOLE_CORES, ONE_CACHE]) given.figures.aligned.inc(what, 0);
		given.figures.notAligned.inc(WHOLE_CORES, 0);
	}

	/** What the container may run on. */
	of(uid: string, container: string): readonly number[] {
		return this.#assigned.get(uid, container) ?? idsOf(this.#shared);
	}

	exclusive(uid: string, container: string): readonly number[] {
		return this.#assigned.get(uid, container) ?? [];
	}

	/** What could be given on an empty machine. */
	get allocatable(): readonly number[] {
		return idsOf(without(this.#given.layout.cpus, this.#reserved()));
	}

	/** What is left of that. */
	get available(): readonly number[] {
		return idsOf(this.#available());
	}

	get state(): CpuState {
		return { assigned: this.#assigned, shared: idsOf(this.#shared) };
	}

	concerns(pod: Pod): boolean {
		return inOrder(pod).some((container) => exclusiveCpus(pod, container) > 0);
	}

	hints(pod: Pod, container: Container): Hints {
		const wanted = exclusiveCpus(pod, container);
		if (wanted === 0) return {};
		const held = this.#assigned.get(uidOf(pod), container.name);
		if (held === undefined) return { cpu: this.#hints(this.#available(), this.#reusable(pod, container), wanted) };
		return { cpu: held.length === wanted ? this.#hints(this.#cpus(held), [], wanted) : [] };
	}

	podHints(pod: Pod): Hints {
		const wanted = podAmount(pod, (container) => exclusiveCpus(pod, container));
		if (wanted === 0) return {};
		const held = new Set<number>();
		for (const container of inOrder(pod)) {
			const own = this.#assigned.get(uidOf(pod), container.name);
			if (own !== undefined && own.length !== exclusiveCpus(pod, container)) return { cpu: [] };
			for (const id of own ?? []) held.add(id);
		}
		const cpus = this.#cpus(held);
		return { cpu: held.size === wanted ? this.#hints(cpus, [], wanted) : this.#hints(this.#available(), cpus, wanted) };
	}

	async give(pod: Pod, container: Container, hint: Hint): Promise<void> {
		const wanted = exclusiveCpus(pod, container);
		if (wanted === 0 || this.#assigned.get(uidOf(pod), container.name) !== undefined) return;
		const { figures, options } = this.#given;
		figures.cpuPinnings.inc();
		try {
			const cpus = this.#pin(pod, container, wanted, hint);
			if (options.fullCoresOnly) figures.aligned.inc(WHOLE_CORES);
			if (groupsOf(cpus, 'cache').size === 1) figures.aligned.inc(ONE_CACHE);
		} catch (error) {
			figures.cpuPinningErrors.inc();
			if (options.fullCoresOnly) figures.notAligned.inc(WHOLE_CORES);
			throw error;
		}
	}

	#pin(pod: Pod, container: Container, wanted: number, hint: Hint): Cpus {
		this.#checkWholeCores(wanted);
		const cpus = this.#choose(this.#union(this.#available(), this.#reusable(pod, container)), wanted, hint);
		this.#assigned.set(uidOf(pod), container.name, idsOf(cpus));
		this.#shared = without(this.#shared, cpus);
		this.#given.changed();
		return cpus;
	}

	takeBack(uid: string): void {
		const freed = this.#cpus([...this.#assigned.of(uid).values()].flat());
		if (!this.#assigned.delete(uid)) return;
		this.#shared = this.#union(this.#shared, freed);
		this.#given.changed();
	}

	holders(): readonly string[] {
		return this.#assigned.holders();
	}

	saved(): Promise<void> {
		return this.#given.saved();
	}

	#reserved(): Cpus {
		return this.#cpus(this.#given.reserved);
	}

	#available(): Cpus {
		return without(this.#shared, this.#reserved());
	}

	/** Of this pod's init containers, which end before the container begins. */
	#reusable(pod: Pod, container: Container): Cpus {
		const free = new Set<number>();
		for (const other of inOrder(pod)) {
			if (other.name === container.name) break;
			const held = this.#assigned.get(uidOf(pod), other.name) ?? [];
			for (const id of held)
				if (endsFirst(pod, other)) free.add(id);
				else free.delete(id);
		}
		return this.#cpus(free);
	}

	#checkWholeCores(wanted: number): void {
		const { layout, options } = this.#given;
		if (!options.fullCoresOnly) return;
		const { cpusPerCore } = layout;
		const refuse = (why: string): never => {
			throw new NotAdmitted('SMTAlignmentError', `SMT Alignment Error: ${why}`);
		};
		if (wanted % cpusPerCore !== 0) refuse(`requested ${wanted} cpus not multiple cpus per core = ${cpusPerCore}`);
		const touched = new Set(this.#reserved().map(({ core }) => core));
		const free = this.#shared.filter(({ core }) => !touched.has(core)).length;
		if (wanted > free)
			refuse(
				`not enough free physical CPUs: available physical CPUs = ${free}, requested CPUs = ${wanted}, CPUs per core = ${cpusPerCore}`,
			);
	}

	/** Those of the hint's nodes first. */
	#choose(free: Cpus, wanted: number, { nodes }: Hint): Cpus {
		const near = nodes === undefined ? [] : this.#aligned(free, nodes);
		const first = near.length === 0 ? [] : this.#take(near, Math.min(near.length, wanted));
		return [...first, ...this.#take(without(free, first), wanted - first.length)];
	}

	#take(free: Cpus, count: number): Cpus {
		return takeBy(this.#given.options, this.#given.layout, free, count);
	}

	#aligned(free: Cpus, nodes: Mask): Cpus {
		const near = (cpus: Cpus): Cpus => cpus.filter(({ numa }) => has(nodes, numa));
		if (!this.#given.options.alignBySocket) return near(free);
		const sockets = new Set(near(this.#given.layout.cpus).map(({ socket }) => socket));
		return free.filter(({ socket }) => sockets.has(socket));
	}

	#hints(available: Cpus, reusable: Cpus, wanted: number): readonly Hint[] {
		const { layout, masks, options } = this.#given;
		const within = (cpus: Cpus, mask: Mask): number => cpus.filter(({ numa }) => has(mask, numa)).length;
		const usable = this.#union(available, reusable);
		const hints = hintsOf(
			masks,
			sizeOf,
			(mask) => within(layout.cpus, mask) >= wanted,
			(mask) => within(reusable, mask) === reusable.length && within(usable, mask) >= wanted,
		);
		if (!options.alignBySocket) return hints;
		const perSocket = Math.trunc(layout.numaNodes / layout.sockets);
		const fewest = Math.min(...masks.filter((mask) => within(layout.cpus, mask) >= wanted).map(sizeOf));
		const aligned = (mask: Mask): boolean =>
			groupsOf(
				layout.cpus.filter(({ numa }) => has(mask, numa)),
				'socket',
			).size === Math.ceil(fewest / perSocket);
		return hints.map((hint) => ({ ...hint, preferred: hint.preferred || (perSocket > 0 && aligned(hint.nodes ?? 0)) }));
	}

	#cpus(ids: Iterable<number>): Cpus {
		return only(this.#given.layout.cpus, ids);
	}

	#union(a: Cpus, b: Cpus): Cpus {
		return this.#cpus([...a, ...b].map(({ id }) => id));
	}
}

/** As the options of the policy want them taken. */
export function takeBy(options: CpuPolicyOptions, layout: Layout, free: Cpus, count: number): Cpus {
	const how = { spread: options.acrossCores, alignByCache: options.alignByCache };
	if (!options.acrossNuma) return takePacked(layout, free, count, how);
	return takeDistributed(layout, free, count, options.fullCoresOnly ? layout.cpusPerCore : 1, how);
}
