/** What something may cost or how large it may be, from least to most, and how functions say it. */
import type { Expr } from './ast.ts';
import type { Type } from './types.ts';

export interface Range {
	readonly min: number;
	readonly max: number;
}

export interface Estimated {
	readonly cost: Range;
	/** Size of the result, where it is known. */
	readonly size?: Range;
}

/** `args` with the receiver first; undefined: 1. */
export type Estimator = (
	args: readonly Expr[],
	of: {
		readonly size: (expr: Expr | undefined) => Range;
		readonly type: (expr: Expr | undefined) => Type;
		/** What a list holds; undefined for what is no list. */
		readonly items: (expr: Expr | undefined) => { readonly size: Range; readonly isText: boolean } | undefined;
	},
) => Estimated;

/** Size of what stands at a path of the declared variables ("self", "spec", "@items"); undefined: not known. */
export type SizeAt = (path: readonly string[]) => Range | undefined;

/** Go's largest uint64: sums and products stop there. */
export const MAX_COST = 2 ** 64;
export const UNKNOWN: Range = { min: 0, max: MAX_COST };
const bounded = (n: number): number => (n > MAX_COST || Number.isNaN(n) ? MAX_COST : n);

export const estimates = {
	add: (a: Range, b: Range): Range => ({ min: bounded(a.min + b.min), max: bounded(a.max + b.max) }),
	multiply: (a: Range, b: Range): Range => ({ min: product(a.min, b.min), max: product(a.max, b.max) }),
	scale: (a: Range, factor: number): Range => ({ min: bounded(Math.ceil(a.min * factor)), max: bounded(Math.ceil(a.max * factor)) }),
	union: (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) }),
	fixed: (n: number): Range => ({ min: n, max: n }),
};

function product(a: number, b: number): number {
	return a === 0 || b === 0 ? 0 : bounded(a * b);
}
