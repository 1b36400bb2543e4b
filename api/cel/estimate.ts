/** What an expression may cost at least and at most, before any value is known: cel-go's estimator with the sizes that a schema promises. */
import { OP, type CallExpr, type ComprehensionExpr, type Expr } from './ast.ts';
import type { Checked } from './checker.ts';
import { EstimatedSizes, type Entries } from './estimated-sizes.ts';
import { estimates, type Estimated, type Range, type SizeAt } from './ranges.ts';
import { DYN } from './types.ts';

const { add, fixed, union } = estimates;
const ZERO = fixed(0);
const ONE = fixed(1);
/** What literals of lists, maps and messages cost beside their entries. */
const LIST_COST = fixed(10);
const MAP_COST = fixed(30);
const MESSAGE_COST = fixed(40);

export function estimate(expr: Expr, checked: Checked, sizeAt: SizeAt): Range {
	return new Coster(checked, sizeAt).cost(expr);
}

class Coster {
	readonly #checked: Checked;
	readonly #sizes: EstimatedSizes;

	constructor(checked: Checked, sizeAt: SizeAt) {
		this.#checked = checked;
		this.#sizes = new EstimatedSizes(checked, sizeAt);
	}

	cost(expr: Expr): Range {
		switch (expr.type) {
			case 'const':
				return ZERO;
			case 'ident':
				return this.#ident(expr.id, expr.name);
			case 'select': {
				const name = this.#checked.names.get(expr.id);
				if (name !== undefined) return this.#ident(expr.id, typeof name === 'string' ? name : name.name);
				const operand = this.cost(expr.operand);
				if (expr.testOnly) return operand;
				this.#sizes.setPath(expr, [...this.#sizes.path(expr.operand), expr.field]);
				const of = this.#kind(expr.operand);
				return of === 'map' || of === 'object' || of === 'param' ? add(operand, ONE) : operand;
			}
			case 'call':
				return this.#call(expr);
			case 'list': {
				const cost = this.#sum(expr.items);
				this.#sizes.setEntries(expr, { kind: 'list', key: ONE, value: this.#widest(expr.items) });
				return add(cost, LIST_COST);
			}
			case 'map': {
				const cost = this.#sum(expr.entries.flatMap(({ key, value }) => [key, value]));
				const [key, value] = [this.#widest(expr.entries.map((e) => e.key)), this.#widest(expr.entries.map((e) => e.value))];
				this.#sizes.setEntries(expr, { kind: 'map', key, value });
				return add(cost, MAP_COST);
			}
			case 'struct':
				return add(this.#sum(expr.fields.map((f) => f.value)), MESSAGE_COST);
			case 'comprehension':
				return isBinding(expr) ? this.#binding(expr) : this.#comprehension(expr);
		}
	}

	#sum(exprs: readonly Expr[]): Range {
		return exprs.reduce((sum, expr) => add(sum, this.cost(expr)), ZERO);
	}

	/** The sizes that any of them may have. */
	#widest(exprs: readonly Expr[]): Range {
		return exprs.length === 0 ? ZERO : exprs.map((expr) => this.#sizes.sizeOrUnknown(expr)).reduce(union);
	}

	#kind(expr: Expr): string {
		return this.#checked.types.get(expr.id)?.kind ?? 'dyn';
	}

	#ident(id: number, name: string): Range {
		this.#sizes.name(id, name);
		return ONE;
	}

	#call(expr: CallExpr): Range {
		const isQualified = this.#checked.names.has(expr.id);
		const args = expr.target === undefined || isQualified ? expr.args : [expr.target, ...expr.args];
		const costs = args.map((arg) => this.cost(arg));
		const sum = costs.reduce(add, ZERO);
		const [a = ZERO, b = ZERO, c = ZERO] = costs;
		switch (expr.fn) {
			case 'dyn':
				this.#sizes.copy(expr, args[0] as Expr);
				return add(sum, ONE);
			case OP.and:
			case OP.or:
				return { min: a.min, max: add(a, b).max };
			case OP.conditional:
				this.#sizes.setSize(expr, union(this.#sizes.sizeOrUnknown(args[1]), this.#sizes.sizeOrUnknown(args[2])));
				this.#joinEntries(expr, args[1], args[2]);
				return add(a, union(b, c));
		}
		return add(this.#overloads(expr, args), sum);
	}

	/** What the overloads cost that the types leave open, and what may come out. */
	#overloads(expr: CallExpr, args: readonly Expr[]): Range {
		const of = {
			size: (e: Expr | undefined) => this.#sizes.sizeOrUnknown(e),
			type: (e: Expr | undefined) => (e === undefined ? undefined : this.#checked.types.get(e.id)) ?? DYN,
			items: (e: Expr | undefined) => (e === undefined ? undefined : this.#sizes.items(e)),
		};
		let cost: Range | undefined;
		let size: Range | undefined;
		for (const overload of this.#checked.overloads.get(expr.id) ?? []) {
			const estimated: Estimated = overload.estimate?.(args, of) ?? { cost: ONE };
			cost = cost === undefined ? estimated.cost : union(cost, estimated.cost);
			if (estimated.size !== undefined) size = size === undefined ? estimated.size : union(size, estimated.size);
			const step = INDEXES[overload.id];
			if (step !== undefined) {
				size = this.#sizes.entries(args[0] as Expr)?.value;
				this.#sizes.setPath(expr, [...this.#sizes.path(args[0] as Expr), step]);
			} else if (CONCATENATIONS.has(overload.id)) this.#joinEntries(expr, args[0], args[1]);
			size ??= this.#sizes.size(expr);
		}
		if (size !== undefined) this.#sizes.setSize(expr, size);
		return cost ?? ONE;
	}

	#joinEntries(expr: Expr, a: Expr | undefined, b: Expr | undefined): void {
		const [x, y] = [a === undefined ? undefined : this.#sizes.entries(a), b === undefined ? undefined : this.#sizes.entries(b)];
		if (x === undefined || y === undefined) return;
		this.#sizes.setEntries(expr, { kind: x.kind, key: union(x.key, y.key), value: union(x.value, y.value) });
	}

	#binding(expr: ComprehensionExpr): Range {
		const cost = add(this.cost(expr.range), this.cost(expr.init));
		const leave = this.#sizes.enter([this.#sizes.local(expr.accumulator, expr.init)]);
		const result = this.cost(expr.result);
		this.#sizes.copy(expr, expr.result);
		leave();
		return add(cost, result);
	}

	#comprehension(expr: ComprehensionExpr): Range {
		const { init, range, step } = expr;
		const before = add(this.cost(range), this.cost(init));
		const leave = this.#sizes.enter([this.#sizes.local(expr.accumulator, init)]);
		const leaveLoop = this.#sizes.enter(this.#variables(expr));
		const loop = add(this.cost(expr.condition), this.cost(step));
		const made: Entries | undefined = this.#sizes.entries(step);
		leaveLoop();
		const result = this.cost(expr.result);
		leave();
		const count = this.#sizes.sizeOrUnknown(range);
		const initial = init.type === 'const' ? this.#sizes.size(init) : undefined;
		if (initial !== undefined) this.#sizes.setSize(expr, initial);
		if (init.type === 'list' || init.type === 'map') {
			this.#sizes.setSize(expr, count);
			if (made !== undefined) this.#sizes.setEntries(expr, made);
		}
		return [before, result, estimates.multiply(count, loop)].reduce(add);
	}

	#variables({ range, variable, variable2 }: ComprehensionExpr): Parameters<EstimatedSizes['enter']>[0] {
		const entries = this.#sizes.entries(range);
		const isList = (entries?.kind ?? this.#kind(range)) === 'list';
		const path = this.#sizes.path(range);
		const key = { path: [...path, isList ? '@indices' : '@keys'], size: entries?.key, entries: undefined };
		const value = { path: [...path, isList ? '@items' : '@values'], size: entries?.value, entries: undefined };
		if (variable2 !== '')
			return [
				{ name: variable, ...key },
				{ name: variable2, ...value },
			];
		return [{ name: variable, ...(isList ? value : key) }];
	}
}

const INDEXES: Readonly<Record<string, string>> = { index_list: '@items', index_map: '@values' };
const CONCATENATIONS = new Set(['add_list', 'add_string', 'add_bytes']);

/** A name for a value: a fold over nothing. */
function isBinding({ range, condition }: ComprehensionExpr): boolean {
	return range.type === 'list' && range.items.length === 0 && condition.type === 'const' && condition.value === false;
}
