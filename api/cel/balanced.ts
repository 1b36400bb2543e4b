/** A chain of one operator as a tree of little depth. */
import type { Expr } from './ast.ts';

/** @param ops one less than terms: each with the node's number and place */
export function balanced(fn: string, terms: readonly Expr[], ops: readonly { readonly id: number; readonly at: number }[]): Expr {
	const tree = (low: number, high: number): Expr => {
		const mid = (low + high + 1) >> 1;
		const { id, at } = ops[mid] as { id: number; at: number };
		const left = mid === low ? (terms[mid] as Expr) : tree(low, mid - 1);
		const right = mid === high ? (terms[mid + 1] as Expr) : tree(mid + 1, high);
		return { type: 'call', id, at, fn, target: undefined, args: [left, right] };
	};
	return ops.length === 0 ? (terms[0] as Expr) : tree(0, ops.length - 1);
}
