/** The expressions of a policy, compiled: conditions, variables in their order, validations, audit annotations, mutations. Pure. */
import type {
	AuditAnnotation,
	MatchCondition,
	MutatingAdmissionPolicySpec,
	Mutation,
	ValidatingAdmissionPolicySpec,
	Validation,
	Variable,
} from '../../gen/types.ts';
import { goTrim } from '../../go-trim.ts';
import type { Environment } from '../environment.ts';
import { BOOL, DYN, NULL, STRING, type Type } from '../types.ts';
import { admissionEnvironment, compileFor, variableType, type AdmissionVariables, type Compiled } from './environment.ts';
import { JSON_PATCHES, OBJECT } from './mutation.ts';

export interface CompiledVariable {
	readonly variable: Variable;
	readonly compiled: Compiled;
}

/** What all policies have. */
export interface PolicyExpressions {
	readonly conditions: readonly { readonly condition: MatchCondition; readonly compiled: Compiled }[];
	readonly variables: readonly CompiledVariable[];
}

export interface ValidatingExpressions extends PolicyExpressions {
	readonly validations: readonly { readonly validation: Validation; readonly compiled: Compiled; readonly message: Compiled | undefined }[];
	readonly annotations: readonly { readonly annotation: AuditAnnotation; readonly compiled: Compiled }[];
}

export interface MutatingExpressions extends PolicyExpressions {
	readonly mutations: readonly { readonly mutation: Mutation; readonly compiled: Compiled }[];
}

/** Environments of one policy: the same variables, with and without what only some expressions may use. */
class Scope {
	readonly #types = new Map<string, Type>();
	readonly #base: Omit<AdmissionVariables, 'authorizer'>;

	/** @param composes whether there is `variables` at all */
	constructor(base: Omit<AdmissionVariables, 'authorizer' | 'variables' | 'mutates'>, composes: boolean) {
		this.#base = composes ? { ...base, variables: this.#types } : base;
	}

	env(authorizer: boolean, mutates = false): Environment {
		return admissionEnvironment({ ...this.#base, authorizer, mutates });
	}

	/** Each variable knows those before it; none makes objects or patches. One without an expression is none, and nothing knows it. */
	declare(variables: readonly Variable[] | undefined): CompiledVariable[] {
		return (variables ?? []).map((variable) => {
			const compiled = compileFor(this.env(true), variable.expression, []);
			if (goTrim(variable.expression ?? '') !== '')
				this.#types.set(variable.name, 'program' in compiled ? variableType(compiled.program.type) : DYN);
			return { variable, compiled };
		});
	}
}

/** Conditions come before the variables. */
const conditionsEnv = (params: Type | undefined): Environment => admissionEnvironment({ params, authorizer: true });

const conditionsOf = (env: Environment, conditions: readonly MatchCondition[] | undefined): PolicyExpressions['conditions'] =>
	(conditions ?? []).map((condition) => ({ condition, compiled: compileFor(env, condition.expression, [BOOL]) }));

/** @param types of `object` and `params`, for type checking; dyn unless told */
export function validatingExpressions(
	spec: ValidatingAdmissionPolicySpec,
	types: { readonly object?: Type | undefined; readonly params?: Type | undefined } = {},
): ValidatingExpressions {
	const params = spec.paramKind === undefined ? undefined : (types.params ?? DYN);
	const scope = new Scope({ params, object: types.object }, (spec.variables ?? []).length > 0);
	const variables = scope.declare(spec.variables);
	const [full, quiet] = [scope.env(true), scope.env(false)];
	return {
		variables,
		conditions: conditionsOf(conditionsEnv(params), spec.matchConditions),
		validations: (spec.validations ?? []).map((validation) => ({
			validation,
			compiled: compileFor(full, validation.expression, [BOOL]),
			message: (validation.messageExpression ?? '') === '' ? undefined : compileFor(quiet, validation.messageExpression ?? '', [STRING]),
		})),
		annotations: (spec.auditAnnotations ?? []).map((annotation) => ({
			annotation,
			compiled: compileFor(full, annotation.valueExpression, [STRING, NULL]),
		})),
	};
}

export function mutatingExpressions(spec: MutatingAdmissionPolicySpec): MutatingExpressions {
	const params = spec.paramKind === undefined ? undefined : DYN;
	const scope = new Scope({ params }, true);
	const variables = scope.declare(spec.variables);
	const env = scope.env(true, true);
	return {
		variables,
		conditions: conditionsOf(conditionsEnv(params), spec.matchConditions),
		mutations: (spec.mutations ?? []).map((mutation) => ({
			mutation,
			compiled:
				mutation.patchType === 'JSONPatch'
					? compileFor(env, mutation.jsonPatch?.expression ?? '', [JSON_PATCHES])
					: compileFor(env, mutation.applyConfiguration?.expression ?? '', [OBJECT]),
		})),
	};
}

/** Match conditions of a webhook: no parameters, no variables. */
export function webhookConditions(conditions: readonly MatchCondition[]): PolicyExpressions['conditions'] {
	return conditionsOf(admissionEnvironment({ authorizer: true }), conditions);
}
