/** The tree of a CEL expression. Every node has a number of its own and the offset in the source that errors point at. */
import type { Value } from './values.ts';

export type Expr = ConstExpr | IdentExpr | SelectExpr | CallExpr | ListExpr | MapExpr | StructExpr | ComprehensionExpr;

interface Node {
	readonly id: number;
	readonly at: number;
}

export interface ConstExpr extends Node {
	readonly type: 'const';
	readonly value: Value;
}

export interface IdentExpr extends Node {
	readonly type: 'ident';
	readonly name: string;
}

export interface SelectExpr extends Node {
	readonly type: 'select';
	readonly operand: Expr;
	readonly field: string;
	/** has(operand.field) */
	readonly testOnly: boolean;
}

export interface CallExpr extends Node {
	readonly type: 'call';
	readonly fn: string;
	readonly target: Expr | undefined;
	readonly args: readonly Expr[];
}

export interface ListExpr extends Node {
	readonly type: 'list';
	readonly items: readonly Expr[];
	/** Items written as [?item]. */
	readonly optional: ReadonlySet<number>;
}

export interface MapExpr extends Node {
	readonly type: 'map';
	readonly entries: readonly { readonly id: number; readonly key: Expr; readonly value: Expr; readonly optional: boolean }[];
}

export interface StructExpr extends Node {
	readonly type: 'struct';
	readonly name: string;
	readonly fields: readonly {
		readonly id: number;
		readonly at: number;
		readonly name: string;
		readonly value: Expr;
		readonly optional: boolean;
	}[];
}

/** A fold over a list or a map: what macros become. */
export interface ComprehensionExpr extends Node {
	readonly type: 'comprehension';
	readonly range: Expr;
	readonly variable: string;
	/** '' for one-variable folds. */
	readonly variable2: string;
	readonly accumulator: string;
	readonly init: Expr;
	readonly condition: Expr;
	readonly step: Expr;
	readonly result: Expr;
}

/** Operators as functions, by the names that error messages use. */
export const OP = {
	conditional: '_?_:_',
	and: '_&&_',
	or: '_||_',
	not: '!_',
	negate: '-_',
	equals: '_==_',
	notEquals: '_!=_',
	less: '_<_',
	lessEquals: '_<=_',
	greater: '_>_',
	greaterEquals: '_>=_',
	add: '_+_',
	subtract: '_-_',
	multiply: '_*_',
	divide: '_/_',
	modulo: '_%_',
	index: '_[_]',
	optionalIndex: '_[?_]',
	optionalSelect: '_?._',
	in: '@in',
	notStrictlyFalse: '@not_strictly_false',
} as const;

/** Direct children, in the order of evaluation. */
export function childrenOf(expr: Expr): readonly Expr[] {
	switch (expr.type) {
		case 'const':
		case 'ident':
			return [];
		case 'select':
			return [expr.operand];
		case 'call':
			return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
		case 'list':
			return expr.items;
		case 'map':
			return expr.entries.flatMap(({ key, value }) => [key, value]);
		case 'struct':
			return expr.fields.map(({ value }) => value);
		case 'comprehension':
			return [expr.range, expr.init, expr.condition, expr.step, expr.result];
	}
}
