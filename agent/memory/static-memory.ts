/** Memory of certain NUMA nodes for containers of Guaranteed pods: the static policy of the memory manager. */
import type { Container, Pod } from '../../api/gen/types.ts';
import { qosClass } from '../../api/pod/qos.ts';
import { AppError } from '../../base/errors.ts';
import { hasPodResources } from '../cpu/exclusive.ts';
import { amountOf } from '../pod/amounts.ts';
import { uidOf } from '../pod/uid.ts';
import { endsFirst, inOrder, podAmount } from '../topology/amounts.ts';
import type { Assignments } from '../topology/assignments.ts';
import type { PlacementFigures } from '../topology/figures.ts';
import type { Giver, Hint, Hints } from '../topology/hint.ts';
import { nodesIn, type Mask } from '../topology/mask.ts';
import { bestHint, memoryHints, satisfies, violates, type Bytes, type HeldMemory, type MemoryBlock, type MemoryNode } from './nodes.ts';

export interface StaticMemoryOptions {
	readonly nodes: readonly MemoryNode[];
	readonly masks: readonly Mask[];
	/** Of an earlier life, or empty. */
	readonly held: Assignments<MemoryBlock>;
	readonly changed: () => void;
	readonly saved: () => Promise<void>;
	readonly figures: Pick<PlacementFigures, 'memoryPinnings' | 'memoryPinningErrors'>;
}

export class StaticMemory implements Giver {
	readonly #given: StaticMemoryOptions;

	constructor(given: StaticMemoryOptions) {
		this.#given = given;
	}

	block(uid: string, container: string): MemoryBlock | undefined {
		return this.#given.held.get(uid, container);
	}

	/** The nodes that the container's memory comes from; none where it may be any. */
	nodesOf(uid: string, container: string): readonly number[] {
		return nodesIn(this.block(uid, container)?.nodes ?? 0);
	}

	get allocatable(): readonly MemoryNode[] {
		return this.#given.nodes;
	}

	concerns(pod: Pod): boolean {
		return inOrder(pod).some((container) => Object.keys(wantedOf(pod, container)).length > 0);
	}

	hints(pod: Pod, container: Container): Hints {
		const wanted = wantedOf(pod, container);
		const block = this.block(uidOf(pod), container.name);
		if (block !== undefined) return sameBytes(wanted, block.bytes) ? same(wanted, block.nodes) : {};
		return this.#hints(pod, container, wanted);
	}

	podHints(pod: Pod): Hints {
		const all = inOrder(pod);
		const [first] = all;
		if (first === undefined) return {};
		const names = new Set(all.flatMap((container) => Object.keys(wantedOf(pod, container))));
		const wanted = Object.fromEntries([...names].map((name) => [name, podAmount(pod, (c) => wantedOf(pod, c)[name] ?? 0)]));
		const block = this.block(uidOf(pod), first.name);
		return block === undefined ? this.#hints(pod, first, wanted) : same(wanted, block.nodes);
	}

	async give(pod: Pod, container: Container, hint: Hint): Promise<void> {
		const wanted = wantedOf(pod, container);
		if (Object.keys(wanted).length === 0 || this.block(uidOf(pod), container.name) !== undefined) return;
		const { memoryPinnings, memoryPinningErrors } = this.#given.figures;
		memoryPinnings.inc();
		let nodes: Mask;
		try {
			nodes = this.#choose(pod, container, wanted, hint);
		} catch (error) {
			memoryPinningErrors.inc();
			throw error;
		}
		this.#given.held.set(uidOf(pod), container.name, { nodes, bytes: wanted, endsFirst: endsFirst(pod, container) });
		this.#given.changed();
	}

	takeBack(uid: string): void {
		if (this.#given.held.delete(uid)) this.#given.changed();
	}

	holders(): readonly string[] {
		return this.#given.held.holders();
	}

	saved(): Promise<void> {
		return this.#given.saved();
	}

	#hints(pod: Pod, container: Container, wanted: Bytes): Hints {
		if (Object.keys(wanted).length === 0) return {};
		const { nodes, masks } = this.#given;
		const hints = memoryHints(nodes, masks, this.#others(pod), this.#own(pod, container), wanted);
		return Object.fromEntries(Object.keys(wanted).map((name) => [name, hints]));
	}

	#choose(pod: Pod, container: Container, wanted: Bytes, hint: Hint): Mask {
		const { nodes, masks } = this.#given;
		const [others, own] = [this.#others(pod), this.#own(pod, container)];
		const hints = memoryHints(nodes, masks, others, own, wanted);
		const fault = (why: string): AppError => new AppError('ResourceExhausted', `[memorymanager] ${why}`);
		let best = hint;
		if (best.nodes === undefined) {
			const found = bestHint(hints);
			if (found === undefined) throw fault('failed to get the default NUMA affinity, no NUMA nodes with enough memory is available');
			if (!found.preferred && hint.preferred) throw fault('failed to find the default preferred hint');
			best = found;
		}
		if (!satisfies(nodes, best.nodes ?? 0, others, own, wanted)) {
			const found = bestHint(hints, best.nodes);
			if (found === undefined) throw fault('failed to find NUMA nodes to extend the current topology hint');
			if (!found.preferred && best.preferred) throw fault('failed to find the extended preferred hint');
			best = found;
		}
		const chosen = best.nodes ?? 0;
		if (
			violates(
				chosen,
				[...others.flat(), ...own].map((block) => block.nodes),
			)
		)
			throw fault('preferred hint violates NUMA node allocation');
		return chosen;
	}

	#others(pod: Pod): HeldMemory {
		const { held } = this.#given;
		return held.holders().flatMap((uid) => (uid === uidOf(pod) ? [] : [[...held.of(uid).values()]]));
	}

	/** What the pod's containers before this one have. */
	#own(pod: Pod, container: Container): readonly MemoryBlock[] {
		const before = inOrder(pod).slice(
			0,
			inOrder(pod).findIndex(({ name }) => name === container.name),
		);
		return before.flatMap(({ name }) => this.block(uidOf(pod), name) ?? []);
	}
}

/** Memory and huge pages; none of a pod that is not Guaranteed. */
function wantedOf(pod: Pod, { resources }: Container): Bytes {
	if (hasPodResources(pod) || qosClass(pod) !== 'Guaranteed') return {};
	const asked = { ...resources?.limits, ...resources?.requests };
	const own = Object.entries(asked).filter(([name]) => name === 'memory' || name.startsWith('hugepages-'));
	return Object.fromEntries(own.map(([name, quantity]) => [name, Math.ceil(amountOf(quantity))]).filter(([, bytes]) => bytes !== 0));
}

function same(wanted: Bytes, nodes: Mask): Hints {
	return Object.fromEntries(Object.keys(wanted).map((name) => [name, [{ nodes, preferred: true }]]));
}

function sameBytes(a: Bytes, b: Bytes): boolean {
	return Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([name, bytes]) => b[name] === bytes);
}
