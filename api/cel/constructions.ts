/** The steps that make values of others: lists, maps, folds, and the choice between an optional and what stands in for it. */
import { ranged } from './access.ts';
import type { ComprehensionExpr } from './ast.ts';
import { EvalError } from './errors.ts';
import { held, type Frame, type Local, type Run } from './runs.ts';
import { ArrayList, EntryMap, keyText, Optional, type Value } from './values.ts';

const LIST_COST = 10;

/** Costs the same whether its items can be had or not. */
export function listed(runs: readonly Run[], optional: ReadonlySet<number>): Run {
	return (frame) => {
		frame.budget.spend(LIST_COST);
		const values: Value[] = [];
		for (let i = 0; i < runs.length; i++) {
			const value = (runs[i] as Run)(frame);
			if (!optional.has(i)) values.push(value);
			else if (!(value instanceof Optional))
				throw new EvalError(`cannot initialize optional list element from non-optional value ${keyText(value)}`);
			else if (value.value !== undefined) values.push(value.value);
		}
		return new ArrayList(values);
	};
}

export interface Entry {
	readonly key: Run;
	readonly value: Run;
	readonly optional: boolean;
}

/** Of a key written twice the last stands. */
export function mapped(entries: readonly Entry[], typeName: string, cost: number): Run {
	return (frame) => {
		frame.budget.spend(cost);
		const pairs: [Value, Value][] = [];
		for (const { key, value, optional } of entries) {
			const k = key(frame);
			const v = value(frame);
			if (!optional) pairs.push([k, v]);
			else if (!(v instanceof Optional))
				throw new EvalError(`cannot initialize optional entry '${keyText(k)}' from non-optional value ${keyText(v)}`);
			else if (v.value !== undefined) pairs.push([k, v.value]);
		}
		return new EntryMap(pairs, typeName);
	};
}

/** The first where it has a value or is no optional at all; only else is the second looked at. */
export function alternative([first, second]: readonly [Run, Run], asOptional: boolean): Run {
	return (frame) => {
		const value = first(frame);
		if (!(value instanceof Optional)) return value;
		if (value.value === undefined) return second(frame);
		return asOptional ? value : value.value;
	};
}

type Parts = Readonly<Record<'range' | 'init' | 'condition' | 'step' | 'result', Run>>;

/** What a fold begins with is made when it is first asked for. */
export function folded(
	{ accumulator: name, variable, variable2 }: ComprehensionExpr,
	{ range, init, condition, step, result }: Parts,
): Run {
	return (frame) => {
		const over = range(frame);
		const accumulator: Local = { name, value: undefined, make: () => init(frame), outer: frame.locals };
		const first: Local = { name: variable, value: null, outer: accumulator };
		const second: Local | undefined = variable2 === '' ? undefined : { name: variable2, value: null, outer: first };
		const inner: Frame = { ...frame, locals: second ?? first };
		for (const [a, b] of ranged(over, second !== undefined)) {
			first.value = a;
			if (second !== undefined) second.value = b;
			if (condition(inner) !== true) break;
			held(() => step(inner), accumulator);
		}
		return result({ ...frame, locals: accumulator });
	};
}
