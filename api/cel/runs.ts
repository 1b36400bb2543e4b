/** The steps of an evaluation that need no tree: variables with their scopes, logic that absorbs errors, calls by the types of their arguments. */
import { CostExceeded, EvalError, NO_OVERLOAD } from './errors.ts';
import type { Overload } from './functions.ts';
import { unmatched } from './unmatched.ts';
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
	/** Undefined until it is made. */
	value: Value | undefined;
	readonly make?: () => Value;
	readonly outer: Local | undefined;
}

export type Run = (frame: Frame) => Value;

/** An error of one step is the fold's value until a later step absorbs it (`exists` finds its item after a bad one). */
const heldErrors = new WeakMap<Local, EvalError>();

/** The step's value or its error becomes the accumulator's. */
export function held(step: () => Value, accumulator: Local): void {
	try {
		const value = step();
		heldErrors.delete(accumulator);
		accumulator.value = value;
	} catch (error) {
		if (!(error instanceof EvalError)) throw error;
		heldErrors.set(accumulator, error);
	}
}

function valueOf(local: Local): Value {
	if (local.value === undefined && local.make !== undefined && !heldErrors.has(local)) held(local.make, local);
	const error = heldErrors.get(local);
	if (error !== undefined) throw error;
	return local.value as Value;
}

export function variable(name: string, cost: number): Run {
	return (frame) => {
		frame.budget.spend(cost);
		for (let local = frame.locals; local !== undefined; local = local.outer) if (local.name === name) return valueOf(local);
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

/** @param fn as errors name it */
export function dispatched(fn: string, runs: readonly Run[], overloads: readonly Overload[]): Run {
	// Which overload it is, is not known: cel-go charges what it knows by the function's name alone.
	const isOpen = overloads.length > 1;
	const costOf = ({ cost, byOverload }: Overload): Overload['cost'] => (isOpen && byOverload ? undefined : cost);
	const [first] = overloads;
	/** Of a call that comes to nothing. */
	const failing = (args: readonly (Value | undefined)[]): number =>
		(first === undefined ? undefined : costOf(first))?.(args, undefined) ?? 1;
	return (frame) => {
		const args = argumentsOf(runs, frame, failing);
		for (const overload of overloads) {
			if (!overload.params.every((type, i) => accepts(type, args[i] as Value))) continue;
			const cost = costOf(overload);
			if (cost === undefined) frame.budget.spend(1);
			const result = called(overload, args, frame.budget, cost);
			if (cost !== undefined) frame.budget.spend(cost(args, result));
			return result;
		}
		frame.budget.spend(failing(args));
		throw unmatched(fn, args);
	};
}

/** Of one or two arguments cel-go evaluates all, and charges the call, before it looks at their errors. */
function argumentsOf(runs: readonly Run[], frame: Frame, failing: (args: readonly (Value | undefined)[]) => number): Value[] {
	let failed: EvalError | undefined;
	const args: (Value | undefined)[] = [];
	for (const run of runs) {
		try {
			args.push(run(frame));
		} catch (error) {
			if (!(error instanceof EvalError) || runs.length > 2) throw error;
			failed ??= error;
			args.push(undefined);
		}
	}
	if (failed === undefined) return args as Value[];
	frame.budget.spend(failing(args));
	throw failed;
}

function called(overload: Overload, args: Value[], budget: Budget, cost: Overload['cost']): Value {
	try {
		return overload.call(...args);
	} catch (error) {
		if (error instanceof EvalError && cost !== undefined) budget.spend(cost(args, undefined));
		throw error;
	}
}
