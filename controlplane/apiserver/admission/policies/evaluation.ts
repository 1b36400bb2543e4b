/** Evaluates the expressions of one policy for one request within a cost budget; composed variables are evaluated when first used, once. Pure. */
import type { Compiled } from '../../../../api/cel/admission/environment.ts';
import type { CompiledVariable } from '../../../../api/cel/admission/policy.ts';
import { evaluated, PER_CALL_LIMIT } from '../../../../api/cel/environment.ts';
import { CostExceeded, EvalError } from '../../../../api/cel/errors.ts';
import { MapValue, type Value } from '../../../../api/cel/values.ts';

/** No expression of the policy can be evaluated any more. */
export class OutOfBudget extends Error {
	override readonly name = 'OutOfBudget';
	constructor() {
		super('validation failed due to running out of cost budget, no further validation rules will be run');
	}
}

export type Outcome = { readonly value: Value } | { readonly error: string };

export class Evaluation {
	readonly #variables: (name: string) => Value | undefined;
	readonly #composed: ComposedVariables;
	#left: number;

	constructor(variables: (name: string) => Value | undefined, composed: readonly CompiledVariable[], budget: number) {
		const all = (name: string): Value | undefined => (name === 'variables' ? this.#composed : variables(name));
		this.#variables = all;
		this.#composed = new ComposedVariables(composed, all, (cost) => this.#spend(cost));
		this.#left = budget;
	}

	/** @param source the expression, for its error */
	evaluate(compiled: Compiled, source: string): Outcome {
		if ('error' in compiled) return { error: `compilation error: ${compiled.error}` };
		const outcome = evaluated(compiled.program, this.#variables, PER_CALL_LIMIT);
		this.#spend(outcome.cost);
		if ('value' in outcome) return { value: outcome.value };
		if (!isExpressionError(outcome.error)) throw outcome.error;
		return { error: `expression '${source}' resulted in error: ${outcome.error.message}` };
	}

	#spend(cost: number): void {
		this.#left -= cost;
		if (this.#left < 0) throw new OutOfBudget();
	}
}

function isExpressionError(error: Error): boolean {
	return error instanceof EvalError || error instanceof CostExceeded;
}

/** The value of `variables`. */
class ComposedVariables extends MapValue {
	override readonly typeName = 'kubernetes.variables';
	readonly #declared: ReadonlyMap<string, Compiled>;
	readonly #variables: (name: string) => Value | undefined;
	readonly #spend: (cost: number) => void;
	readonly #known = new Map<string, Value | EvalError>();

	constructor(declared: readonly CompiledVariable[], variables: (name: string) => Value | undefined, spend: (cost: number) => void) {
		super();
		this.#declared = new Map(declared.map(({ variable, compiled }) => [variable.name, compiled]));
		this.#variables = variables;
		this.#spend = spend;
	}

	get size(): number {
		return this.#declared.size;
	}

	*keys(): Generator<Value> {
		yield* this.#declared.keys();
	}

	get(key: Value): Value | undefined {
		const name = String(key as string);
		const compiled = this.#declared.get(name);
		if (compiled === undefined) return undefined;
		let known = this.#known.get(name);
		if (known === undefined) {
			known = this.#evaluate(name, compiled);
			this.#known.set(name, known);
		}
		if (known instanceof EvalError) throw known;
		return known;
	}

	#evaluate(name: string, compiled: Compiled): Value | EvalError {
		const failed = (why: string): EvalError => new EvalError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${why}`);
		if ('error' in compiled) return new EvalError(`composited variable ${JSON.stringify(name)} fails to compile: ${compiled.error}`);
		const outcome = evaluated(compiled.program, this.#variables, PER_CALL_LIMIT);
		this.#spend(outcome.cost);
		if ('value' in outcome) return outcome.value;
		if (!isExpressionError(outcome.error)) throw outcome.error;
		return failed(outcome.error.message);
	}
}
