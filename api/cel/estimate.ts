/** What an expression may cost at least and at most, before any value is known: cel-go's estimator with the sizes that a schema promises. */
import { OP, type CallExpr, type ComprehensionExpr, type Expr } from './ast.ts';
import type { Checked } from './checker.ts';
import { estimates, UNKNOWN, type Range, type SizeAt } from './ranges.ts';
import { sizeOf } from './values.ts';

const { add, fixed, union } = estimates;
const ZERO = fixed(0);
const ONE = fixed(1);
const SCALARS = new Set(['bool', 'int', 'uint', 'double', 'timestamp', 'duration']);

export function estimate(expr: Expr, checked: Checked, sizeAt: SizeAt): Range {
	return new Coster(checked, sizeAt).cost(expr);
}

class Coster {
	readonly #checked: Checked;
	readonly #sizeAt: SizeAt;
	readonly #paths = new Map<number, readonly string[]>();
	readonly #sizes = new Map<number, Range>();
	readonly #costs = new Map<number, Range>();
	/** Where iteration variables come from. */
	readonly #locals: { readonly name: string; readonly path: readonly string[] | undefined; readonly size: Range | undefined }[] = [];

	constructor(checked: Checked, sizeAt: SizeAt) {
		this.#checked = checked;
		this.#sizeAt = sizeAt;
	}

	cost(expr: Expr): Range {
		const cost = this.#costOf(expr);
		this.#costs.set(expr.id, cost);
		return cost;
	}

	#costOf(expr: Expr): Range {
		switch (expr.type) {
			case 'const':
				return ZERO;
			case 'ident':
				return this.#ident(expr.id, expr.name);
			case 'select': {
				const name = this.#checked.names.get(expr.id);
				if (typeof name === 'string') return this.#ident(expr.id, name);
				const operand = this.cost(expr.operand);
				const of = this.#checked.types.get(expr.operand.id)?.kind ?? 'dyn';
				const path = this.#paths.get(expr.operand.id);
				if (path !== undefined) this.#paths.set(expr.id, [...path, of === 'map' ? '@values' : expr.field]);
				if (expr.testOnly) return operand;
				return of === 'map' || of === 'object' || of === 'param' ? add(operand, ONE) : operand;
			}
			case 'call':
				return this.#call(expr);
			case 'list':
				return add(this.#sum(expr.items), fixed(10));
			case 'map':
				return add(this.#sum(expr.entries.flatMap(({ key, value }) => [key, value])), fixed(30));
			case 'struct':
				return add(this.#sum(expr.fields.map((f) => f.value)), fixed(40));
			case 'comprehension':
				return this.#comprehension(expr);
		}
	}

	#sum(exprs: readonly Expr[]): Range {
		return exprs.reduce((sum, expr) => add(sum, this.cost(expr)), ZERO);
	}

	#ident(id: number, name: string): Range {
		const local = this.#locals.findLast((l) => l.name === name);
		if (local === undefined) this.#paths.set(id, [name]);
		else {
			if (local.path !== undefined) this.#paths.set(id, local.path);
			if (local.size !== undefined) this.#sizes.set(id, local.size);
		}
		return ONE;
	}

	#size(expr: Expr | undefined): Range {
		if (expr === undefined) return UNKNOWN;
		const computed = this.#sizes.get(expr.id) ?? literalSize(expr);
		if (computed !== undefined) return computed;
		const path = this.#paths.get(expr.id);
		const known = path === undefined ? undefined : this.#sizeAt(path);
		if (known !== undefined) return known;
		return SCALARS.has(this.#checked.types.get(expr.id)?.kind ?? 'dyn') ? ONE : UNKNOWN;
	}

	#items(list: Expr | undefined): { readonly size: Range; readonly isText: boolean } | undefined {
		const path = list === undefined ? undefined : this.#paths.get(list.id);
		const type = list === undefined ? undefined : this.#checked.types.get(list.id);
		if (path === undefined || type?.kind !== 'list') return undefined;
		const { kind } = type.items;
		const size = this.#sizeAt([...path, '@items']) ?? (SCALARS.has(kind) ? ONE : UNKNOWN);
		return { size, isText: kind === 'string' || kind === 'bytes' };
	}

	#call(expr: CallExpr): Range {
		const isQualified = this.#checked.names.has(expr.id);
		const args = expr.target === undefined || isQualified ? expr.args : [expr.target, ...expr.args];
		const costs = args.map((arg) => this.cost(arg));
		const sum = costs.reduce(add, ZERO);
		const [a = ZERO, b = ZERO, c = ZERO] = costs;
		switch (expr.fn) {
			case OP.and:
			case OP.or:
				return { min: a.min, max: add(a, b).max };
			case OP.conditional:
				this.#sizes.set(expr.id, union(this.#size(args[1]), this.#size(args[2])));
				return add(a, union(b, c));
			case OP.index:
			case OP.optionalIndex:
			case OP.optionalSelect:
				this.#element(expr, args as [Expr, Expr]);
				return add(sum, ONE);
		}
		const overloads = this.#checked.overloads.get(expr.id) ?? [];
		const of = {
			size: (e: Expr | undefined) => this.#size(e),
			items: (e: Expr | undefined) => this.#items(e),
			cost: (e: Expr | undefined) => (e === undefined ? ZERO : (this.#costs.get(e.id) ?? ZERO)),
		};
		let own: Range | undefined;
		let size: Range | undefined;
		for (const overload of overloads) {
			const estimated = overload.estimate?.(args, of) ?? { cost: ONE };
			own = own === undefined ? estimated.cost : union(own, estimated.cost);
			// What says nothing of its size adds nothing to it.
			if (estimated.size !== undefined) size = size === undefined ? estimated.size : union(size, estimated.size);
		}
		if (size !== undefined) this.#sizes.set(expr.id, size);
		return add(own ?? ONE, sum);
	}

	#element(expr: CallExpr, [operand, key]: readonly [Expr, Expr]): void {
		const path = this.#paths.get(operand.id);
		if (path === undefined) return;
		const kind = this.#checked.types.get(operand.id)?.kind;
		const step = kind === 'list' ? '@items' : kind === 'map' ? '@values' : key.type === 'const' ? String(key.value as string) : '@values';
		this.#paths.set(expr.id, [...path, step]);
	}

	#comprehension(expr: ComprehensionExpr): Range {
		const range = this.cost(expr.range);
		const init = this.cost(expr.init);
		const rangePath = this.#paths.get(expr.range.id);
		const isMap = this.#checked.types.get(expr.range.id)?.kind === 'map';
		const at = (step: string): readonly string[] | undefined => (rangePath === undefined ? undefined : [...rangePath, step]);
		const before = this.#locals.length;
		const isBound = expr.variable === '#unused';
		this.#locals.push({
			name: expr.accumulator,
			path: isBound ? this.#paths.get(expr.init.id) : undefined,
			size: isBound ? this.#sizes.get(expr.init.id) : undefined,
		});
		if (expr.variable2 === '') this.#locals.push({ name: expr.variable, path: at(isMap ? '@keys' : '@items'), size: undefined });
		else {
			this.#locals.push({ name: expr.variable, path: isMap ? at('@keys') : undefined, size: undefined });
			this.#locals.push({ name: expr.variable2, path: at(isMap ? '@values' : '@items'), size: undefined });
		}
		const loop = add(this.cost(expr.condition), this.cost(expr.step));
		this.#locals.length = before + 1;
		const result = this.cost(expr.result);
		this.#locals.length = before;
		const count = this.#size(expr.range);
		if (expr.step.type === 'call' && this.#checked.types.get(expr.id)?.kind === 'list')
			this.#sizes.set(expr.id, { min: 0, max: count.max });
		return [range, init, result, estimates.multiply(count, loop)].reduce(add);
	}
}

function literalSize(expr: Expr): Range | undefined {
	switch (expr.type) {
		case 'const': {
			const size = sizeOf(expr.value);
			return size === undefined ? undefined : fixed(size);
		}
		case 'list':
			return fixed(expr.items.length);
		case 'map':
			return fixed(expr.entries.length);
		default:
			return undefined;
	}
}
