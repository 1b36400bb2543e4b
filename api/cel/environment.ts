/**
 * Where expressions are compiled: variables with their types, and the functions that Kubernetes offers.
 *
 *   const env = environment({ variables: { object: DYN } });
 *   const program = compile(env, 'object.spec.replicas <= 5', { result: BOOL });
 *   program.evaluate((name) => (name === 'object' ? fromJson(pod) : undefined), new Budget(1_000_000)); // a Value, or EvalError, or CostExceeded
 */
import { check, type Checked } from './checker.ts';
import type { Expr } from './ast.ts';
import { estimate } from './estimate.ts';
import type { Range, SizeAt } from './ranges.ts';
import { planned } from './evaluate.ts';
import { Budget, type Variables } from './runs.ts';
import { Functions, type Overload } from './functions.ts';
import { CompileError } from './issues.ts';
import { KUBERNETES } from './libraries/libraries.ts';
import { validateLiterals } from './literal-checks.ts';
import { parse } from './parser.ts';
import { typeName, type Type } from './types.ts';
import type { Value } from './values.ts';
import { childrenOf } from './ast.ts';

/** Upstream's limits (apiserver/pkg/apis/cel/config.go). */
export const PER_CALL_LIMIT = 1_000_000;
export const RUNTIME_BUDGET = 10_000_000;
export const MATCH_CONDITIONS_BUDGET = 2_500_000;

export interface EnvironmentOptions {
	readonly variables?: Readonly<Record<string, Type>>;
	/** Variables found otherwise than by name in a table. */
	readonly variable?: (name: string) => Type | undefined;
	/** Message types that expressions may construct: `Object{…}`. */
	readonly struct?: (name: string) => Type | undefined;
	/** Functions beside Kubernetes' own. */
	readonly libraries?: readonly (readonly Overload[])[];
	/** `cel.bind(name, value, result)` is a macro (cel-go ext.Bindings). */
	readonly binds?: boolean;
}

export interface Environment {
	readonly functions: Functions;
	readonly variable: (name: string) => Type | undefined;
	readonly struct: (name: string) => Type | undefined;
	readonly binds: boolean;
}

const DEFAULT_FUNCTIONS = new Functions(KUBERNETES);

export function environment(options: EnvironmentOptions): Environment {
	const { variables = {}, libraries = [] } = options;
	return {
		functions: libraries.length === 0 ? DEFAULT_FUNCTIONS : new Functions([...KUBERNETES, ...libraries]),
		variable: (name) => (Object.hasOwn(variables, name) ? variables[name] : options.variable?.(name)),
		struct: options.struct ?? (() => undefined),
		binds: options.binds ?? false,
	};
}

export interface Program {
	readonly source: string;
	readonly expr: Expr;
	readonly checked: Checked;
	/** What the expression gives. */
	readonly type: Type;
	/** EvalError, or CostExceeded when the budget does not last. */
	evaluate(variables: Variables, budget: Budget): Value;
	/** What can be done of it without variables; EvalError: not even that. */
	prepare(): void;
	/** The least and most it may cost, by the sizes that variables have. */
	estimate(sizeAt?: SizeAt): Range;
	/** Whether the variable is used anywhere. */
	uses(variable: string): boolean;
}

/** CompileError with upstream's texts. `result`: one of the types that the expression must give (dyn always passes). */
export function compile(env: Environment, source: string): Program {
	const { expr } = parse(source, env.binds);
	const { checked, issues } = check(expr, env);
	if (issues.length > 0) throw new CompileError(source, issues);
	const wrong = validateLiterals(expr, checked);
	if (wrong.length > 0) throw new CompileError(source, wrong);
	let run: ReturnType<typeof planned> | undefined;
	const prepared = (): ReturnType<typeof planned> => (run ??= planned(expr, checked));
	return {
		source,
		expr,
		checked,
		type: checked.type,
		evaluate: (variables, budget) => prepared()(variables, budget),
		prepare: prepared,
		estimate: (sizeAt = () => undefined) => estimate(expr, checked, sizeAt),
		uses: (variable) => [...checked.names.values()].some((name) => name === variable) && usesVariable(expr, variable),
	};
}

function usesVariable(expr: Expr, name: string): boolean {
	if (expr.type === 'ident') return expr.name === name;
	return childrenOf(expr).some((child) => usesVariable(child, name));
}

/** Evaluates with a budget of its own: the value or the error, and what it cost. */
export function evaluated(
	program: Program,
	variables: Variables,
	limit: number,
): { readonly cost: number } & ({ readonly value: Value } | { readonly error: Error }) {
	const budget = new Budget(limit);
	try {
		return { value: program.evaluate(variables, budget), cost: budget.spent };
	} catch (error) {
		return { error: error as Error, cost: budget.spent };
	}
}

export { typeName };
