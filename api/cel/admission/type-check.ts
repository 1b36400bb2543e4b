/** Type checking of validating policies against the kinds they match: what cannot be right, told in the policy's status (upstream validating/typechecking.go). Pure. */
import type { ExpressionWarning, ValidatingAdmissionPolicySpec } from '../../gen/types.ts';
import { compile, type Environment } from '../environment.ts';
import { CompileError } from '../issues.ts';
import { DYN, type Type } from '../types.ts';
import { admissionEnvironment, variableType } from './environment.ts';

export interface ResourceName {
	readonly group: string;
	readonly version: string;
	readonly resource: string;
}

export interface KindName {
	readonly group: string;
	readonly version: string;
	readonly kind: string;
}

export interface TypedKind extends KindName {
	readonly type: Type;
}

/** More kinds of one rule are not looked at (upstream's maxTypesToCheck). */
const MAX_KINDS = 10;

/**
 * The kinds to check against, by group, version and kind. Rules with wildcards are about too much; subresources are left out.
 * @param kindsOf kinds that a resource may mean, none where it is not served
 */
export function kindsToCheck(
	spec: ValidatingAdmissionPolicySpec,
	kindsOf: (resource: ResourceName) => readonly KindName[],
): readonly KindName[] {
	const found = new Map<string, KindName>();
	for (const rule of spec.matchConstraints?.resourceRules ?? []) {
		let count = 0;
		for (const resource of resourcesOf(rule))
			for (const kind of kindsOf(resource)) {
				found.set(shown(kind), kind);
				if (++count === MAX_KINDS) return sorted(found);
			}
	}
	return sorted(found);
}

function resourcesOf({ apiGroups = [], apiVersions = [], resources = [] }: NonNullable<Rules>[number]): readonly ResourceName[] {
	if ([...apiGroups, ...apiVersions].some((text) => text.includes('*'))) return [];
	const plain = resources.filter((text) => !/[*/]/.test(text)).toSorted();
	return apiGroups
		.toSorted()
		.flatMap((group) => apiVersions.toSorted().flatMap((version) => plain.map((resource) => ({ group, version, resource }))));
}

type Rules = NonNullable<ValidatingAdmissionPolicySpec['matchConstraints']>['resourceRules'];

function sorted(found: ReadonlyMap<string, KindName>): readonly KindName[] {
	const key = ({ group, version, kind }: KindName): string => `${group}\0${version}\0${kind}`;
	return [...found.values()].toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

const shown = ({ group, version, kind }: KindName): string => `${group}/${version}, Kind=${kind}`;

/** @param params undefined where the policy has none; dyn where their kind has no schema */
export function expressionWarnings(
	spec: ValidatingAdmissionPolicySpec,
	kinds: readonly TypedKind[],
	params: Type | undefined,
): readonly ExpressionWarning[] {
	const steps = warningsInSteps(spec, kinds, params);
	for (;;) {
		const { done, value } = steps.next();
		if (done === true) return value;
	}
}

/** The same in short steps: many expressions against many kinds take longer than others should wait. */
export function* warningsInSteps(
	spec: ValidatingAdmissionPolicySpec,
	kinds: readonly TypedKind[],
	params: Type | undefined,
): Generator<undefined, readonly ExpressionWarning[]> {
	const environments: { readonly kind: TypedKind; readonly env: Environment }[] = [];
	for (const kind of kinds) {
		environments.push({ kind, env: environmentFor(spec, kind.type, params) });
		yield;
	}
	const warnings: ExpressionWarning[] = [];
	for (const { fieldRef, expression } of expressionsOf(spec)) {
		const complaints: string[] = [];
		for (const { kind, env } of environments) {
			const why = complaint(env, expression);
			if (why !== undefined) complaints.push(`${shown(kind)}: ${why}\n`);
			yield;
		}
		if (complaints.length > 0) warnings.push({ fieldRef, warning: complaints.join('\n') });
	}
	return warnings;
}

function expressionsOf({
	validations = [],
}: ValidatingAdmissionPolicySpec): readonly { readonly fieldRef: string; readonly expression: string }[] {
	return validations.flatMap(({ expression, messageExpression = '' }, index) => [
		{ fieldRef: `spec.validations[${index}].expression`, expression },
		...(messageExpression === '' ? [] : [{ fieldRef: `spec.validations[${index}].messageExpression`, expression: messageExpression }]),
	]);
}

/** Each variable knows those before it. */
function environmentFor(spec: ValidatingAdmissionPolicySpec, object: Type, params: Type | undefined): Environment {
	const variables = new Map<string, Type>();
	const env = admissionEnvironment({ object, params, authorizer: 'plain', variables });
	for (const { name, expression } of spec.variables ?? []) variables.set(name, typeOf(env, expression));
	return env;
}

function typeOf(env: Environment, expression: string): Type {
	try {
		return variableType(compile(env, expression).type);
	} catch (error) {
		if (error instanceof CompileError) return DYN;
		throw error;
	}
}

function complaint(env: Environment, expression: string): string | undefined {
	try {
		compile(env, expression);
		return undefined;
	} catch (error) {
		if (error instanceof CompileError) return error.message;
		throw error;
	}
}
