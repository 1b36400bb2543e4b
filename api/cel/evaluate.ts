/** Checked trees as closures: each returns a value or throws an EvalError, and spends what upstream says it costs. */
import { OP, type CallExpr, type ComprehensionExpr, type Expr, type SelectExpr } from './ast.ts';
import type { Checked } from './checker.ts';
import { element, elementOrNothing, fieldOf, isPresent, optionalField, ranged } from './access.ts';
import { CostExceeded, EvalError, NO_OVERLOAD } from './errors.ts';
import type { Overload } from './functions.ts';
import { accepts } from './runtime-type.ts';
import { ArrayList, EntryMap, Optional, TypeValue, type Value } from './values.ts';

/** What an evaluation may still spend. */
export class Budget {
	#left: number;
	#spent = 0;

	constructor(limit: number) {
		this.#left = limit;
	}

	get spent(): number {
		return this.#spent;
	}

	spend(cost: number): void {
		this.#spent += cost;
		this.#left -= cost;
		if (this.#left < 0) throw new CostExceeded();
	}
}

/** The value of a variable; undefined: it has none. */
export type Variables = (name: string) => Value | undefined;

interface Frame {
	readonly budget: Budget;
	readonly variables: Variables;
	readonly locals: Local | undefined;
}

interface Local {
	readonly name: string;
	value: Value;
	readonly outer: Local | undefined;
}

type Run = (frame: Frame) => Value;

export type Evaluate = (variables: Variables, budget: Budget) => Value;

export function planned(expr: Expr, checked: Checked): Evaluate {
	const run = new Planner(checked).plan(expr);
	return (variables, budget) => run({ budget, variables, locals: undefined });
}

/** cel-go's common costs. */
const LIST_COST = 10;
const MAP_COST = 30;
const STRUCT_COST = 40;

class Planner {
	readonly #checked: Checked;

	constructor(checked: Checked) {
		this.#checked = checked;
	}

	plan(expr: Expr): Run {
		const name = this.#checked.names.get(expr.id);
		if (name instanceof TypeValue) return () => name;
		switch (expr.type) {
			case 'const': {
				const { value } = expr;
				return () => value;
			}
			case 'ident':
				return variable(name ?? expr.name);
			case 'select':
				return name === undefined ? this.#select(expr) : variable(name);
			case 'call':
				return this.#call(expr);
			case 'list':
				return this.#list(expr.items, expr.optional);
			case 'map':
				return this.#map(
					expr.entries.map(({ key, value, optional }) => ({ key: this.plan(key), value: this.plan(value), optional })),
					'map',
					MAP_COST,
				);
			case 'struct':
				return this.#map(
					expr.fields.map((f) => ({ key: () => f.name, value: this.plan(f.value), optional: f.optional })),
					expr.name.replace(/^\./, ''),
					STRUCT_COST,
				);
			case 'comprehension':
				return this.#comprehension(expr);
		}
	}

	#select({ operand, field, testOnly }: SelectExpr): Run {
		const run = this.plan(operand);
		if (testOnly)
			return (frame) => {
				const value = run(frame);
				// Presence tests are free, but not what leads to them.
				return isPresent(value, field);
			};
		return (frame) => {
			const value = run(frame);
			frame.budget.spend(1);
			if (value instanceof Optional) return optionalField(value, field);
			return fieldOf(value, field);
		};
	}

	#call(expr: CallExpr): Run {
		const { fn, args, target, id } = expr;
		switch (fn) {
			case OP.and:
			case OP.or:
				return logical(this.plan(args[0] as Expr), this.plan(args[1] as Expr), fn === OP.or);
			case OP.conditional: {
				const [condition, yes, no] = args.map((arg) => this.plan(arg)) as [Run, Run, Run];
				return (frame) => {
					const chosen = condition(frame);
					if (typeof chosen !== 'boolean') throw new EvalError(NO_OVERLOAD);
					return chosen ? yes(frame) : no(frame);
				};
			}
			case OP.notStrictlyFalse:
				return notStrictlyFalse(this.plan(args[0] as Expr));
			case OP.optionalSelect:
				return this.#optionalSelect(args as [Expr, Expr]);
			case OP.index:
			case OP.optionalIndex:
				return this.#index(args as [Expr, Expr], fn === OP.optionalIndex);
		}
		const overloads = this.#checked.overloads.get(id) ?? [];
		const receiver = target !== undefined && this.#checked.names.get(id) === undefined ? [this.plan(target)] : [];
		return dispatched([...receiver, ...args.map((arg) => this.plan(arg))], overloads);
	}

	#optionalSelect([operand, key]: readonly [Expr, Expr]): Run {
		const run = this.plan(operand);
		const field = (key.type === 'const' ? key.value : '') as string;
		return (frame) => {
			const value = run(frame);
			frame.budget.spend(1);
			return optionalField(value instanceof Optional ? value : Optional.of(value), field);
		};
	}

	#index([operand, index]: readonly [Expr, Expr], optional: boolean): Run {
		const value = this.plan(operand);
		const at = this.plan(index);
		return (frame) => {
			const given = value(frame);
			const key = at(frame);
			frame.budget.spend(1);
			if (given instanceof Optional || optional) {
				const inner = given instanceof Optional ? given.value : given;
				const found = inner === undefined ? undefined : elementOrNothing(inner, key);
				return found === undefined ? Optional.none : Optional.of(found);
			}
			return element(given, key);
		};
	}

	#list(items: readonly Expr[], optional: ReadonlySet<number>): Run {
		const runs = items.map((item) => this.plan(item));
		return (frame) => {
			const values: Value[] = [];
			for (let i = 0; i < runs.length; i++) {
				const value = (runs[i] as Run)(frame);
				if (!optional.has(i)) values.push(value);
				else if (!(value instanceof Optional)) throw new EvalError(NO_OVERLOAD);
				else if (value.value !== undefined) values.push(value.value);
			}
			frame.budget.spend(LIST_COST);
			return new ArrayList(values);
		};
	}

	#map(entries: readonly { readonly key: Run; readonly value: Run; readonly optional: boolean }[], typeName: string, cost: number): Run {
		return (frame) => {
			const pairs: [Value, Value][] = [];
			for (const { key, value, optional } of entries) {
				const k = key(frame);
				const v = value(frame);
				if (!optional) pairs.push([k, v]);
				else if (!(v instanceof Optional)) throw new EvalError(NO_OVERLOAD);
				else if (v.value !== undefined) pairs.push([k, v.value]);
			}
			frame.budget.spend(cost);
			const made = new EntryMap(pairs, typeName);
			if (made.size < pairs.length) throw new EvalError('Failed with repeated key');
			return made;
		};
	}

	#comprehension(expr: ComprehensionExpr): Run {
		const [range, init, condition, step, result] = [expr.range, expr.init, expr.condition, expr.step, expr.result].map((e) =>
			this.plan(e),
		) as [Run, Run, Run, Run, Run];
		return (frame) => {
			const over = range(frame);
			const accumulator: Local = { name: expr.accumulator, value: init(frame), outer: frame.locals };
			const first: Local = { name: expr.variable, value: null, outer: accumulator };
			const second: Local | undefined = expr.variable2 === '' ? undefined : { name: expr.variable2, value: null, outer: first };
			const inner: Frame = { ...frame, locals: second ?? first };
			for (const [a, b] of ranged(over, second !== undefined)) {
				first.value = a;
				if (second !== undefined) second.value = b;
				if (condition(inner) !== true) break;
				accumulator.value = held(() => step(inner), accumulator);
			}
			return result({ ...frame, locals: accumulator });
		};
	}
}

/** An error of one step is the fold's value until a later step absorbs it (`exists` finds its item after a bad one). */
const heldErrors = new WeakMap<Local, EvalError>();

function held(step: () => Value, accumulator: Local): Value {
	try {
		const value = step();
		heldErrors.delete(accumulator);
		return value;
	} catch (error) {
		if (!(error instanceof EvalError)) throw error;
		heldErrors.set(accumulator, error);
		return accumulator.value;
	}
}

function variable(name: string): Run {
	return (frame) => {
		frame.budget.spend(1);
		for (let local = frame.locals; local !== undefined; local = local.outer)
			if (local.name === name) {
				const error = heldErrors.get(local);
				if (error !== undefined) throw error;
				return local.value;
			}
		const value = frame.variables(name);
		if (value === undefined) throw new EvalError(`no such attribute(s): ${name}`);
		return value;
	};
}

/** && and ||: a decisive side wins over an error of the other. */
function logical(left: Run, right: Run, decisive: boolean): Run {
	return (frame) => {
		let error: EvalError | undefined;
		for (const side of [left, right]) {
			try {
				const value = side(frame);
				if (value === decisive) return decisive;
				if (typeof value !== 'boolean') error ??= new EvalError(NO_OVERLOAD);
			} catch (caught) {
				if (!(caught instanceof EvalError)) throw caught;
				error ??= caught;
			}
		}
		if (error !== undefined) throw error;
		return !decisive;
	};
}

function notStrictlyFalse(run: Run): Run {
	return (frame) => {
		frame.budget.spend(1);
		try {
			return run(frame) !== false;
		} catch (error) {
			if (!(error instanceof EvalError)) throw error;
			return true;
		}
	};
}

function dispatched(runs: readonly Run[], overloads: readonly Overload[]): Run {
	return (frame) => {
		const args = runs.map((run) => run(frame));
		for (const overload of overloads) {
			if (!overload.params.every((type, i) => accepts(type, args[i] as Value))) continue;
			if (overload.cost === undefined) frame.budget.spend(1);
			const result = overload.call(...args);
			if (overload.cost !== undefined) frame.budget.spend(overload.cost(args, result));
			return result;
		}
		throw new EvalError(NO_OVERLOAD);
	};
}
