/** Checked trees as closures: each returns a value or throws an EvalError, and spends what upstream says it costs. */
import { OP, type CallExpr, type ComprehensionExpr, type Expr, type SelectExpr } from './ast.ts';
import type { Checked } from './checker.ts';
import { checkStep, element, elementOrNothing, fieldOf, isPresent, optionalField } from './access.ts';
import { alternative, folded, listed, mapped, type Entry } from './constructions.ts';
import { equal } from './compare.ts';
import { EvalError, NO_OVERLOAD } from './errors.ts';
import { patternOf } from './libraries/pattern.ts';
import { Budget, dispatched, logical, notStrictlyFalse, variable, type Frame, type Run, type Variables } from './runs.ts';
import { ArrayList, Optional, TypeValue, type Value } from './values.ts';

export type Evaluate = (variables: Variables, budget: Budget) => Value;

export function planned(expr: Expr, checked: Checked): Evaluate {
	const run = new Planner(checked).plan(expr);
	return (variables, budget) => run({ budget, variables, locals: undefined });
}

/** What cel-go resolves step by step from a variable, or from one of two: idents, fields, indexes, ternaries. */
function isAttribute(expr: Expr): boolean {
	if (expr.type === 'select') return !expr.testOnly;
	return expr.type === 'ident' || (expr.type === 'call' && ATTRIBUTES.has(expr.fn));
}

const ATTRIBUTES = new Set<string>([OP.index, OP.optionalIndex, OP.optionalSelect, OP.conditional]);

/** Only what is there costs something. */
function found(frame: Frame, value: Optional): Optional {
	if (value.value !== undefined) frame.budget.spend(1);
	return value;
}

/** Functions that make one type of another: cel-go folds them over constants. */
const CONVERSIONS = new Set(['bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'type', 'uint']);

/** Functions whose second argument is a pattern, compiled beforehand where it is written out. */
const PATTERNS = new Set(['matches', 'find', 'findAll']);

const isSimple = (value: Value): boolean => ['boolean', 'bigint', 'number', 'string'].includes(typeof value);

/** cel-go's common costs. */
const MAP_COST = 30;
const STRUCT_COST = 40;

class Planner {
	readonly #checked: Checked;
	/** What is known before anything is evaluated costs nothing then. */
	readonly #constants = new Map<Run, Value>();

	constructor(checked: Checked) {
		this.#checked = checked;
	}

	#constant(value: Value): Run {
		const run = (): Value => value;
		this.#constants.set(run, value);
		return run;
	}

	/** The value of what needs no variables, made once; what fails then fails the program. */
	#folded(parts: readonly Run[], run: Run): Run {
		if (!parts.every((part) => this.#constants.has(part))) return run;
		return this.#constant(run({ budget: new Budget(Infinity), variables: () => undefined, locals: undefined }));
	}

	/** Searching a list of constants is free, and an empty one has nothing. */
	#search(run: Run, [needle, list]: readonly [Run, Run]): Run {
		const values = this.#constants.get(list);
		if (!(values instanceof ArrayList)) return run;
		if (values.size === 0) return this.#constant(false);
		for (let i = 0; i < values.size; i++) if (!isSimple(values.at(i))) return run;
		return (frame) => {
			const wanted = needle(frame);
			for (let i = 0; i < values.size; i++) if (equal(values.at(i), wanted)) return true;
			return false;
		};
	}

	/** @param within the attribute is part of another one, or a branch: where it begins costs nothing */
	plan(expr: Expr, within = false): Run {
		const name = this.#checked.names.get(expr.id);
		if (name instanceof TypeValue) return this.#constant(name);
		switch (expr.type) {
			case 'const':
				return this.#constant(expr.value);
			case 'ident':
				return variable(name ?? expr.name, within ? 0 : 1);
			case 'select':
				return name === undefined ? this.#select(expr, within) : variable(name, within ? 0 : 1);
			case 'call':
				return this.#call(expr, within);
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

	/** What a chain of fields and indexes begins with; what is no variable costs one more than itself. */
	#begin(operand: Expr, within: boolean): Run {
		if (isAttribute(operand)) return this.plan(operand, within);
		const run = this.plan(operand);
		if (within) return run;
		return (frame) => {
			const value = run(frame);
			frame.budget.spend(1);
			return value;
		};
	}

	#select({ operand, field, testOnly }: SelectExpr, within: boolean): Run {
		const run = this.#begin(operand, within);
		if (testOnly)
			return (frame) => {
				const value = run(frame);
				// Presence tests are free, but not what leads to them; within others their field is what counts.
				if (within) frame.budget.spend(1);
				return isPresent(value, field);
			};
		return (frame) => {
			const value = run(frame);
			if (value instanceof Optional) return found(frame, optionalField(value, field));
			frame.budget.spend(1);
			return fieldOf(value, field);
		};
	}

	#call(expr: CallExpr, within: boolean): Run {
		const { fn, args, target, id } = expr;
		switch (fn) {
			case OP.and:
			case OP.or:
				return logical(this.plan(args[0] as Expr), this.plan(args[1] as Expr), fn === OP.or);
			case OP.conditional: {
				const [condition, yes, no] = args.map((arg, i) => this.plan(arg, i > 0)) as [Run, Run, Run];
				return (frame) => {
					const chosen = condition(frame);
					if (typeof chosen !== 'boolean') throw new EvalError(NO_OVERLOAD);
					return chosen ? yes(frame) : no(frame);
				};
			}
			case OP.notStrictlyFalse:
				return notStrictlyFalse(this.plan(args[0] as Expr));
			case OP.optionalSelect:
				return this.#optionalSelect(args as [Expr, Expr], within);
			case OP.index:
			case OP.optionalIndex:
				return this.#index(args as [Expr, Expr], fn === OP.optionalIndex, within);
		}
		const overloads = this.#checked.overloads.get(id) ?? [];
		const receiver = target !== undefined && this.#checked.names.get(id) === undefined ? [this.plan(target)] : [];
		const parts = [...receiver, ...args.map((arg) => this.plan(arg))];
		const name = this.#checked.names.get(id);
		const run = dispatched(typeof name === 'string' ? name : fn.replace(/^\./, ''), parts, overloads);
		const pattern = PATTERNS.has(fn) && parts[1] !== undefined ? this.#constants.get(parts[1]) : undefined;
		if (typeof pattern === 'string') patternOf(pattern);
		if (fn === OP.in && overloads[0]?.id === 'in_list' && overloads.length === 1) return this.#search(run, parts as [Run, Run]);
		if (overloads.length === 1 && (overloads[0]?.id === 'optional_or_optional' || overloads[0]?.id === 'optional_orValue_value'))
			return alternative(parts as [Run, Run], fn === 'or');
		return CONVERSIONS.has(fn) && parts.length === 1 ? this.#folded(parts, run) : run;
	}

	#optionalSelect([operand, key]: readonly [Expr, Expr], within: boolean): Run {
		const run = this.#begin(operand, within);
		const field = (key.type === 'const' ? key.value : '') as string;
		return (frame) => {
			const value = run(frame);
			return found(frame, optionalField(value instanceof Optional ? value : Optional.of(value), field));
		};
	}

	#index([operand, index]: readonly [Expr, Expr], optional: boolean, within: boolean): Run {
		const value = this.#begin(operand, within);
		const at = this.plan(index, isAttribute(index));
		const constant = this.#constants.get(at);
		if (constant !== undefined) checkStep(constant);
		return (frame) => {
			const given = value(frame);
			if (given instanceof Optional || optional) {
				const inner = given instanceof Optional ? given.value : given;
				if (inner === undefined) return Optional.none;
				const item = elementOrNothing(inner, checkStep(at(frame)));
				return found(frame, item === undefined ? Optional.none : Optional.of(item));
			}
			// Also where it leads nowhere.
			frame.budget.spend(1);
			return element(given, checkStep(at(frame)));
		};
	}

	#list(items: readonly Expr[], optional: ReadonlySet<number>): Run {
		const runs = items.map((item) => this.plan(item));
		const list = listed(runs, optional);
		return optional.size === 0 ? this.#folded(runs, list) : list;
	}

	#map(entries: readonly Entry[], typeName: string, cost: number): Run {
		const map = mapped(entries, typeName, cost);
		if (typeName !== 'map' || entries.some(({ optional }) => optional)) return map;
		return this.#folded(
			entries.flatMap(({ key, value }) => [key, value]),
			map,
		);
	}

	#comprehension(expr: ComprehensionExpr): Run {
		const [range, init, condition, step, result] = [expr.range, expr.init, expr.condition, expr.step, expr.result].map((e) =>
			this.plan(e),
		) as [Run, Run, Run, Run, Run];
		return folded(expr, { range, init, condition, step, result });
	}
}
