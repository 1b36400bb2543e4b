/** What cel-go's list extension costs: a call that makes a list pays for the list and for what it does to its items. */
import type { Expr } from '../ast.ts';
import type { Costs } from '../functions.ts';
import { estimates, type Range } from '../ranges.ts';
import { ListValue, type Value } from '../values.ts';
import { sized, TRAVERSAL } from './costs.ts';

/** The call and the list. */
const BASE = 11;
const fixed = (value: number): Range => ({ min: value, max: value });
const making = (factor: number, size: Range): { readonly cost: Range; readonly size: Range } => ({
	cost: estimates.add(estimates.scale(size, factor), fixed(BASE)),
	size,
});

function whole(expr: Expr | undefined, otherwise: number): number {
	const value = expr?.type === 'const' ? expr.value : undefined;
	return typeof value === 'bigint' ? Math.max(Number(value), 0) : otherwise;
}

/** Of what comes out. */
export const AS_LONG: Costs = {
	byOverload: true,
	cost: (_args, result) => sized(result) + BASE,
	estimate: (args, of) => making(1, of.size(args[0])),
};

export const SLICE: Costs = {
	...AS_LONG,
	estimate: (args, of) => making(1, fixed(Math.max(whole(args[2], of.size(args[0]).max) - whole(args[1], 0), 0))),
};

export const RANGE: Costs = { ...AS_LONG, estimate: (args) => making(1, fixed(whole(args[0], Number.MAX_VALUE))) };

export const FLATTEN: Costs = {
	byOverload: true,
	cost: (args) => Math.floor(sized(args[0]) * (args.length === 2 ? Number(args[1]) : 1)) + BASE,
	estimate: (args, of) => making(args.length === 2 ? whole(args[1], Number.MAX_VALUE) : 1, of.size(args[0])),
};

/** Every item may be compared with every other, twice. */
const PAIR = 2;

function compared(list: Value | undefined): number {
	const size = sized(list);
	const first = list instanceof ListValue && list.size > 0 ? list.at(0) : undefined;
	const isText = typeof first === 'string' || first instanceof Uint8Array;
	return Math.floor(size * size * (isText ? PAIR + TRAVERSAL : PAIR)) + BASE;
}

/** @param index of the list that is compared; `isText`: its items are texts or bytes */
export const selfCompared = (index: number, isText = false): Costs => ({
	byOverload: true,
	cost: (args) => compared(args[index]),
	estimate: (args, of) => {
		const size = of.size(args[index]);
		return making(isText ? PAIR + TRAVERSAL : PAIR, estimates.multiply(size, size));
	},
});
