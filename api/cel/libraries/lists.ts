/** Kubernetes' list library (isSorted, sum, min, max, indexOf, lastIndexOf), cel-go's (distinct, flatten, reverse, slice, sort, range) and sets. */
import { compare, equal } from '../compare.ts';
import { EvalError, NO_OVERLOAD } from '../errors.ts';
import { estimates, type Estimator } from '../ranges.ts';
import { overload, type Costs, type Overload } from '../functions.ts';
import { ArrayList, Duration, ListValue, Uint, type Value } from '../values.ts';
import { sized, TRAVERSAL, wholeWalk } from './costs.ts';
import { AS_LONG, FLATTEN, RANGE, selfCompared, SLICE } from './list-costs.ts';

/** Every item is looked at, texts along their length. */
const each: Estimator = (args, of) => {
	const size = of.size(args[0]);
	const items = of.items(args[0]);
	if (items === undefined) return { cost: estimates.scale(size, TRAVERSAL) };
	const one = { min: 1, max: 1 };
	return { cost: estimates.multiply(size, items.isText ? estimates.add(one, estimates.scale(items.size, TRAVERSAL)) : one) };
};
const EACH: Costs = { cost: (args) => wholeWalk(args[0]), estimate: each };
/** The call, and each item of one with each of the other. */
const pairs = (factor: number): Costs => ({
	cost: (args) => 1 + Math.floor(sized(args[0]) * sized(args[1]) * factor),
	estimate: (args, of) => ({
		cost: estimates.add(estimates.scale(estimates.multiply(of.size(args[0]), of.size(args[1])), factor), { min: 1, max: 1 }),
	}),
});

const items = (list: Value | undefined): Value[] => [...(list as ListValue)];

function ordered(a: Value, b: Value): number {
	const order = compare(a, b);
	if (order === undefined) throw new EvalError(NO_OVERLOAD);
	return order;
}

const isSorted = (list?: Value): Value => {
	const all = items(list);
	return all.every((item, i) => i === 0 || ordered(all[i - 1] as Value, item) <= 0);
};

const best =
	(name: string, wins: (order: number) => boolean) =>
	(list?: Value): Value => {
		const all = items(list);
		if (all.length === 0) throw new EvalError(`${name} called on empty list`);
		return all.reduce((found, item) => (wins(ordered(item, found)) ? item : found));
	};

const indexIn =
	(last: boolean) =>
	(list?: Value, value?: Value): Value => {
		const all = items(list);
		const matches = (item: Value): boolean => equal(item, value as Value);
		return BigInt(last ? all.findLastIndex(matches) : all.findIndex(matches));
	};

const ORDERED = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'] as const;

const SUMS: readonly (readonly [type: string, sum: (list: Value[]) => Value])[] = [
	['int', (list) => list.reduce<bigint>((sum, item) => sum + (item as bigint), 0n)],
	['uint', (list) => new Uint(list.reduce<bigint>((sum, item) => sum + (item as Uint).value, 0n))],
	['double', (list) => list.reduce<number>((sum, item) => sum + (item as number), 0)],
	['duration', (list) => new Duration(list.reduce<bigint>((sum, item) => sum + (item as Duration).nanos, 0n))],
];

function distinct(list?: Value): Value {
	const kept: Value[] = [];
	for (const item of items(list)) if (!kept.some((other) => equal(other, item))) kept.push(item);
	return new ArrayList(kept);
}

function flattened(list: Value, depth: number): Value[] {
	return items(list).flatMap((item) => (item instanceof ListValue && depth > 0 ? flattened(item, depth - 1) : [item]));
}

function depthOf(depth: Value | undefined): number {
	const levels = Number(depth as bigint);
	if (levels < 0) throw new EvalError('level must be non-negative');
	return levels;
}

function slice(list?: Value, from?: Value, to?: Value): Value {
	const all = items(list);
	const [start, end] = [from as bigint, to as bigint];
	if (start < 0n || end < 0n) throw new EvalError(`cannot slice(${start}, ${end}), negative indexes not supported`);
	if (start > end) throw new EvalError(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
	if (BigInt(all.length) < end) throw new EvalError(`cannot slice(${start}, ${end}), list is length ${all.length}`);
	return new ArrayList(all.slice(Number(start), Number(end)));
}

function sortedBy(list: Value | undefined, keys: Value[]): Value {
	const all = items(list);
	const order = all.map((_, i) => i).toSorted((a, b) => ordered(keys[a] as Value, keys[b] as Value));
	return new ArrayList(order.map((i) => all[i] as Value));
}

/** lists.range makes at most this many. */
const MAX_RANGE = 1_000_000n;

function range(count?: Value): Value {
	const size = count as bigint;
	if (size > MAX_RANGE) throw new EvalError(`range(${size}) exceeds ${MAX_RANGE}`);
	return new ArrayList(Array.from({ length: Math.max(Number(size), 0) }, (_, i) => BigInt(i)));
}

const contains = (list: Value[], all: Value[]): boolean => all.every((item) => list.some((other) => equal(other, item)));

const TEXTS = new Set<string>(['string', 'bytes']);

export const lists: readonly Overload[] = [
	...ORDERED.flatMap((type) => [
		overload(`list_${type}_is_sorted_bool`, `list(${type})::isSorted(): bool`, isSorted, EACH),
		overload(
			`list_${type}_max_${type}`,
			`list(${type})::max(): ${type}`,
			best('max', (order) => order > 0),
			EACH,
		),
		overload(
			`list_${type}_min_${type}`,
			`list(${type})::min(): ${type}`,
			best('min', (order) => order < 0),
			EACH,
		),
	]),
	...SUMS.map(([type, sum]) => overload(`list_${type}_sum_${type}`, `list(${type})::sum(): ${type}`, (list) => sum(items(list)), EACH)),
	overload('list_a_index_of_int', 'list(T)::indexOf(T): int', indexIn(false), EACH),
	overload('list_a_last_index_of_int', 'list(T)::lastIndexOf(T): int', indexIn(true), EACH),
	overload('list_distinct', 'list(T)::distinct(): list(T)', distinct, selfCompared(0)),
	overload('list_flatten', 'list(list(T))::flatten(): list(T)', (list) => new ArrayList(flattened(list as Value, 1)), FLATTEN),
	overload(
		'list_flatten_int',
		'list(dyn)::flatten(int): list(dyn)',
		(list, depth) => new ArrayList(flattened(list as Value, depthOf(depth))),
		FLATTEN,
	),
	overload('list_reverse', 'list(T)::reverse(): list(T)', (list) => new ArrayList(items(list).toReversed()), AS_LONG),
	overload('list_slice', 'list(T)::slice(int, int): list(T)', slice, SLICE),
	...ORDERED.map((type) =>
		overload(
			`list_${type}_sort`,
			`list(${type})::sort(): list(${type})`,
			(list) => sortedBy(list, items(list)),
			selfCompared(0, TEXTS.has(type)),
		),
	),
	...ORDERED.map((type) =>
		overload(
			`list_${type}_sortByAssociatedKeys`,
			`list(T)::@sortByAssociatedKeys(list(${type})): list(T)`,
			(list, keys) => sortedBy(list, items(keys)),
			selfCompared(1, TEXTS.has(type)),
		),
	),
	overload('lists_range', 'lists.range(int): list(int)', range, RANGE),
	overload('list_sets_contains_list', 'sets.contains(list(T), list(T)): bool', (a, b) => contains(items(a), items(b)), pairs(1)),
	overload(
		'list_sets_equivalent_list',
		'sets.equivalent(list(T), list(T)): bool',
		(a, b) => contains(items(a), items(b)) && contains(items(b), items(a)),
		pairs(2),
	),
	overload(
		'list_sets_intersects_list',
		'sets.intersects(list(T), list(T)): bool',
		(a, b) => items(a).some((item) => contains(items(b), [item])),
		pairs(1),
	),
];
