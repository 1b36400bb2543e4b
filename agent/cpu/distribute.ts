/** The same number of processors of each NUMA node, of as few nodes as may be, so that what is left is even too (upstream's distribute-cpus-across-numa). Pure. */
import { AppError } from '../../base/errors.ts';
import { groupsOf, without, type Cpus, type Layout } from './layout.ts';
import { ordered, takePacked, type TakeOptions } from './take.ts';

type NodeId = number;

interface Split {
	readonly nodes: readonly NodeId[];
	/** Of each node. */
	readonly each: number;
	/** The nodes that give one group more, in turn. */
	readonly more: readonly NodeId[];
	readonly unevenness: number;
}

/** @param groupSize processors are given in groups of so many: the threads of a core, or 1 */
export function takeDistributed(layout: Layout, free: Cpus, count: number, groupSize: number, options: TakeOptions): Cpus {
	const packed = (from: Cpus, n: number): Cpus => takePacked(layout, from, n, { ...options, alignByCache: false });
	if (count % groupSize !== 0 || count > free.length) return packed(free, count);
	const nodes = ordered(free, layout.levels[0] === 'numa' ? ['numa'] : ['socket', 'numa']).flatMap((group) => group[0]?.numa ?? []);
	const left = new Map([...groupsOf(free, 'numa')].map(([id, cpus]) => [id, cpus.length]));
	const groups = count / groupSize;
	const groupsPerNode = Math.ceil(Math.ceil(layout.cpus.length / groupSize) / layout.numaNodes);
	for (let k = Math.ceil(groups / groupsPerNode); k <= Math.min(groups, nodes.length); k++) {
		const split = bestSplit(combinations(nodes, k), left, count, groupSize);
		if (split !== undefined) return takeSplit(split, free, count, groupSize, packed);
	}
	return packed(free, count);
}

function takeSplit(
	{ nodes, each, more }: Split,
	free: Cpus,
	count: number,
	groupSize: number,
	packed: (from: Cpus, n: number) => Cpus,
): Cpus {
	let taken: Cpus = [];
	const takeOf = (node: NodeId, n: number): void => {
		taken = [
			...taken,
			...packed(
				without(free, taken).filter((cpu) => cpu.numa === node),
				n,
			),
		];
	};
	const leftOn = (node: NodeId): number => without(free, taken).filter((cpu) => cpu.numa === node).length;
	for (const node of nodes) takeOf(node, each);
	while (taken.length < count) {
		const willing = more.filter((node) => leftOn(node) >= groupSize);
		if (willing.length === 0)
			throw new AppError('Internal', `accounting error, not enough CPUs allocated, remaining: ${count - taken.length}`);
		for (const node of willing) if (taken.length < count) takeOf(node, groupSize);
	}
	return taken;
}

function bestSplit(
	choices: Iterable<readonly NodeId[]>,
	left: ReadonlyMap<NodeId, number>,
	count: number,
	groupSize: number,
): Split | undefined {
	let best: Split | undefined;
	const of = (node: NodeId): number => left.get(node) ?? 0;
	for (const nodes of choices) {
		if (best?.unevenness === 0) break;
		const groups = nodes.reduce((sum, node) => sum + Math.trunc(of(node) / groupSize), 0);
		const each = Math.trunc(count / nodes.length / groupSize) * groupSize;
		if (groups * groupSize < count || nodes.some((node) => of(node) < each)) continue;
		const after = new Map(left);
		for (const node of nodes) after.set(node, of(node) - each);
		const split = withRemainder(nodes, each, after, count - each * nodes.length, groupSize);
		if (split !== undefined && (best === undefined || split.unevenness < best.unevenness)) best = split;
	}
	return best;
}

function withRemainder(
	nodes: readonly NodeId[],
	each: number,
	after: ReadonlyMap<NodeId, number>,
	remainder: number,
	groupSize: number,
): Split | undefined {
	if (remainder === 0) return { nodes, each, more: [], unevenness: deviation([...after.values()]) };
	let best: Split | undefined;
	const willing = nodes.filter((node) => (after.get(node) ?? 0) >= groupSize);
	for (let k = willing.length; k >= 1; k--)
		for (const more of combinations(willing, k)) {
			const left = new Map(after);
			if (more.reduce((sum, node) => sum + (left.get(node) ?? 0), 0) < remainder) continue;
			for (let missing = remainder; missing > 0; ) {
				const before = missing;
				for (const node of more) {
					const has = left.get(node) ?? 0;
					if (missing === 0 || has < groupSize) continue;
					left.set(node, has - groupSize);
					missing -= groupSize;
				}
				if (missing === before) break;
			}
			const unevenness = deviation([...left.values()]);
			if (best === undefined || unevenness < best.unevenness) best = { nodes, each, more, unevenness };
		}
	return best;
}

/** To thousandths, as upstream compares it. */
function deviation(values: readonly number[]): number {
	const mean = thousandths(values.reduce((sum, v) => sum + v, 0) / values.length);
	const variance = values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length;
	return thousandths(Math.sqrt(variance));
}

function thousandths(value: number): number {
	return Math.round(value * 1000) / 1000;
}

function* combinations<T>(items: readonly T[], k: number, from = 0): Generator<readonly T[]> {
	if (k === 0) return yield [];
	for (let i = from; i <= items.length - k; i++) for (const rest of combinations(items, k - 1, i + 1)) yield [items[i] as T, ...rest];
}
