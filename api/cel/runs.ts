/** The steps of an evaluation that need no tree: variables with their scopes, logic that absorbs errors, calls by the types of their arguments. */
import { CostExceeded, EvalError, NO_OVERLOAD } from './errors.ts';
import type { Overload } from './functions.ts';
import { accepts } from './runtime-type.ts';
import type { Value } from './values.ts';

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

export interface Frame {
	readonly budget: Budget;
	readonly variables: Variables;
	readonly locals: Local | undefined;
}

export interface Local {
	readonly name: string;
	value: Value;
	readonly outer: Local | undefined;
}

export type Run = (frame: Frame) => Value;

/** An error of one step is the fold's value until a later step absorbs it (`exists` finds its item after a bad one). */
const heldErrors = new WeakMap<Local, EvalError>();

export function held(step: () => Value, accumulator: Local): Value {
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

export function variable(name: string, cost: number): Run {
	return (frame) => {
		frame.budget.spend(cost);
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
export function logical(left: Run, right: Run, decisive: boolean): Run {
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

export function notStrictlyFalse(run: Run): Run {
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

export function dispatched(runs: readonly Run[], overloads: readonly Overload[]): Run {
	return (frame) => {
		const args = argumentsOf(runs, frame);
		for (const overload of overloads) {
			if (!overload.params.every((type, i) => accepts(type, args[i] as Value))) continue;
			if (overload.cost === undefined) frame.budget.spend(1);
			const result = called(overload, args, frame.budget);
			if (overload.cost !== undefined) frame.budget.spend(overload.cost(args, result));
			return result;
		}
		frame.budget.spend(1);
		throw new EvalError(NO_OVERLOAD);
	};
}

/** Of one or two arguments cel-go evaluates all, and counts the call, before it looks at their errors. */
function argumentsOf(runs: readonly Run[], frame: Frame): Value[] {
	let failed: EvalError | undefined;
	const args: Value[] = [];
	for (const run of runs) {
		try {
			args.push(run(frame));
		} catch (error) {
			if (!(error instanceof EvalError) || runs.length > 2) throw error;
			failed ??= error;
		}
	}
	if (failed === undefined) return args;
	frame.budget.spend(1);
	throw failed;
}

function called(overload: Overload, args: Value[], budget: Budget): Value {
	try {
		return overload.call(...args);
	} catch (error) {
		// An error has the size of one.
		if (error instanceof EvalError && overload.cost !== undefined) budget.spend(1);
		throw error;
	}
}
