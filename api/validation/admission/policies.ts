/** Admission policies and their bindings, mutating and validating, with their expressions. */
import { mutatingExpressions, validatingExpressions, type CompiledVariable } from '../../cel/admission/policy.ts';
import { duplicate, fieldForbidden, invalidValue, required } from '../../field-error.ts';
import type {
	AuditAnnotation,
	MatchResources,
	MutatingAdmissionPolicy,
	MutatingAdmissionPolicyBinding,
	MutatingAdmissionPolicySpec,
	ObjectMeta,
	ParamKind,
	ParamRef,
	ValidatingAdmissionPolicy,
	ValidatingAdmissionPolicyBinding,
	ValidatingAdmissionPolicySpec,
} from '../../gen/types.ts';
import { goTrim } from '../../go-trim.ts';
import { internalForm } from '../../internal/form.ts';
import { dns1035Label, dnsSubdomain, pathSegment, qualifiedName } from '../names.ts';
import { objectMeta } from '../metadata.ts';
import { oneOf, present, same, texts, Unique, type Errors } from '../rule.ts';
import { labelSelector } from '../selectors.ts';
import { trimmedMutating, trimmedValidating } from './trimmed.ts';
import { compiles, matchConditions, ruleWithOperations } from './webhooks.ts';

type Policy = ValidatingAdmissionPolicy | MutatingAdmissionPolicy;

const CLUSTER = { name: dnsSubdomain, namespaced: false, finalizers: false };
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const NEEDS_ONE = 'validations or auditAnnotations must contain at least one item';
const MAX_AUDIT = 20;
/** Of an audit annotation's expression. */
const MAX_VALUE_BYTES = 5 * 1024;
const shownAnnotation = (one: AuditAnnotation): unknown => internalForm('admissionregistration/v1.AuditAnnotation', one);
const CEL_NAME = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
/** Reserved words of CEL. */
const RESERVED = new Set(
	'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

export function validatingAdmissionPolicyUpdate(out: Errors, object: ValidatingAdmissionPolicy, old: ValidatingAdmissionPolicy): void {
	validatingAdmissionPolicy(out, object, keepsConditions(object, old));
}

/** @param skipsConditions match conditions are not looked at */
export function validatingAdmissionPolicy(out: Errors, object: ValidatingAdmissionPolicy, skipsConditions = false): void {
	const spec = object.spec ?? {};
	common(out, object.metadata, spec);
	const compiled = validatingExpressions(trimmedValidating(spec));
	if (!skipsConditions) matchConditions(out, 'spec.matchConditions', spec.matchConditions ?? [], compiled.conditions);
	variables(out, spec.variables ?? [], compiled.variables);
	const validations = spec.validations ?? [];
	const annotations = spec.auditAnnotations ?? [];
	if (validations.length === 0 && annotations.length === 0)
		out.push(required('spec.validations', NEEDS_ONE), required('spec.auditAnnotations', NEEDS_ONE));
	for (const [i, { expression, message, messageExpression, reason }] of validations.entries()) {
		const at = `spec.validations[${i}]`;
		if (goTrim(expression) === '') out.push(required(`${at}.expression`, 'expression is not specified'));
		else compiles(out, `${at}.expression`, expression, compiled.validations[i]?.compiled);
		if (messageExpression !== undefined && messageExpression !== '') {
			const path = `${at}.messageExpression`;
			if (goTrim(messageExpression) === '') out.push(invalidValue(path, messageExpression, 'must be non-empty if specified'));
			else compiles(out, path, messageExpression, compiled.validations[i]?.message);
		}
		if (message !== undefined && message !== '') {
			if (goTrim(message) === '') out.push(invalidValue(`${at}.message`, message, 'must be non-empty if specified'));
			else if (/[\n\r]/.test(goTrim(message))) out.push(invalidValue(`${at}.message`, message, 'must not contain line breaks'));
		}
		oneOf(out, `${at}.reason`, reason, REASONS);
	}
	if (annotations.length > MAX_AUDIT)
		out.push(
			invalidValue('spec.auditAnnotations', annotations.map(shownAnnotation), `must not have more than ${MAX_AUDIT} auditAnnotations`),
		);
	const keys = new Unique();
	for (const [i, { key, valueExpression }] of annotations.entries()) {
		const at = `spec.auditAnnotations[${i}]`;
		const { name = '' } = object.metadata;
		if (name === '') out.push(invalidValue(`${at}.key`, key, 'requires metadata.name be non-empty'));
		else texts(out, `${at}.key`, `${name}/${key}`, qualifiedName(`${name}/${key}`));
		if (goTrim(valueExpression) === '') out.push(required(`${at}.valueExpression`, 'valueExpression is not specified'));
		else if (Buffer.byteLength(goTrim(valueExpression)) > MAX_VALUE_BYTES)
			out.push(required(`${at}.valueExpression`, `must not exceed ${MAX_VALUE_BYTES} bytes in length`));
		else compiles(out, `${at}.valueExpression`, valueExpression, compiled.annotations[i]?.compiled);
		keys.check(out, `${at}.key`, key);
	}
}

export function mutatingAdmissionPolicyUpdate(out: Errors, object: MutatingAdmissionPolicy, old: MutatingAdmissionPolicy): void {
	mutatingAdmissionPolicy(out, object, keepsConditions(object, old));
}

/** @param skipsConditions match conditions are not looked at */
export function mutatingAdmissionPolicy(out: Errors, object: MutatingAdmissionPolicy, skipsConditions = false): void {
	const spec = object.spec ?? {};
	common(out, object.metadata, spec);
	mutable(out, 'spec.matchConstraints', spec.matchConstraints);
	const compiled = mutatingExpressions(trimmedMutating(spec));
	if (!skipsConditions) matchConditions(out, 'spec.matchConditions', spec.matchConditions ?? [], compiled.conditions);
	variables(out, spec.variables ?? [], compiled.variables);
	const mutations = spec.mutations ?? [];
	if (mutations.length === 0) out.push(required('spec.mutations', 'mutations must contain at least one item'));
	for (const [i, { patchType, applyConfiguration, jsonPatch }] of mutations.entries()) {
		const at = `spec.mutations[${i}]`;
		const parts = { ApplyConfiguration: ['applyConfiguration', applyConfiguration], JSONPatch: ['jsonPatch', jsonPatch] } as const;
		if ((patchType as string) === '') out.push(required(`${at}.patchType`));
		else oneOf(out, `${at}.patchType`, patchType, ['ApplyConfiguration', 'JSONPatch']);
		for (const [type, [key, part]] of Object.entries(parts)) {
			if (type !== patchType) continue;
			if (part === undefined) out.push(required(`${at}.${key}`, `must be specified when patchType is ${type}`));
			else if (goTrim(part.expression ?? '') === '') out.push(required(`${at}.${key}.expression`));
			else compiles(out, `${at}.${key}.expression`, goTrim(part.expression ?? ''), compiled.mutations[i]?.compiled);
		}
		for (const [type, [key, part]] of Object.entries(parts))
			if (type !== patchType && part !== undefined && patchType in parts)
				out.push(invalidValue(`${at}.${key}`, `{${key}}`, `must not be specified when patchType is ${patchType}`));
	}
	if ((spec.reinvocationPolicy ?? '') === '') out.push(required('spec.reinvocationPolicy'));
	else oneOf(out, 'spec.reinvocationPolicy', spec.reinvocationPolicy, ['IfNeeded', 'Never']);
}

/** Nothing changed that could make its match conditions wrong, so they may be as they were. */
function keepsConditions({ spec: now }: Policy, { spec: before }: Policy): boolean {
	return same(now?.paramKind, before?.paramKind) && same(now?.matchConditions, before?.matchConditions);
}

/** What both kinds of policy say. */
function common(out: Errors, metadata: ObjectMeta, spec: ValidatingAdmissionPolicySpec | MutatingAdmissionPolicySpec): void {
	objectMeta(out, metadata, CLUSTER);
	if (spec.failurePolicy === undefined) out.push(required('spec.failurePolicy'));
	else oneOf(out, 'spec.failurePolicy', spec.failurePolicy, ['Fail', 'Ignore']);
	paramKind(out, spec.paramKind);
	constraints(out, spec.matchConstraints);
}

function paramKind(out: Errors, kind: ParamKind | undefined): void {
	if (kind === undefined) return;
	const { apiVersion = '', kind: name = '' } = kind;
	if (apiVersion === '') out.push(required('spec.paramKind.apiVersion'));
	else paramVersion(out, 'spec.paramKind.apiVersion', apiVersion);
	if (name === '') out.push(required('spec.paramKind.kind'));
	else joined(out, 'spec.paramKind.kind', name, dns1035Label(name.toLowerCase()), 'may have mixed case, but should otherwise match: ');
}

function paramVersion(out: Errors, path: string, apiVersion: string): void {
	const parts = apiVersion.split('/');
	if (parts.length > 2) {
		out.push(invalidValue(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
		return;
	}
	const [group = '', version = ''] = parts.length === 2 ? parts : ['', apiVersion];
	if (group !== '') joined(out, path, group, dnsSubdomain(group));
	if (version === '') out.push(invalidValue(path, apiVersion, 'version must be specified'));
	else joined(out, path, version, dns1035Label(version));
}

/** All complaints as one. */
function joined(out: Errors, path: string, value: string, complaints: readonly string[], intro = ''): void {
	if (complaints.length > 0) out.push(invalidValue(path, value, `${intro}${complaints.join(',')}`));
}

function constraints(out: Errors, given: MatchResources | undefined): void {
	if (given === undefined) {
		out.push(required('spec.matchConstraints'));
		return;
	}
	matchResources(out, 'spec.matchConstraints', given);
	if ((given.resourceRules ?? []).length === 0) out.push(required('spec.matchConstraints.resourceRules'));
}

/** Deletions cannot be mutated. */
function mutable(out: Errors, at: string, given: MatchResources | undefined): void {
	for (const { operations = [] } of given?.resourceRules ?? [])
		for (const operation of operations) oneOf(out, `${at}.resourceRules.operations`, operation, ['*', 'CONNECT', 'CREATE', 'UPDATE']);
}

function matchResources(out: Errors, at: string, given: MatchResources): void {
	if (given.matchPolicy === undefined) out.push(required(`${at}.matchPolicy`));
	else oneOf(out, `${at}.matchPolicy`, given.matchPolicy, ['Equivalent', 'Exact']);
	if (given.namespaceSelector === undefined) out.push(required(`${at}.namespaceSelector`));
	else labelSelector(out, `${at}.namespaceSelector`, given.namespaceSelector);
	if (given.objectSelector === undefined) out.push(required(`${at}.objectSelector`));
	else labelSelector(out, `${at}.objectSelector`, given.objectSelector);
	for (const key of ['resourceRules', 'excludeResourceRules'] as const)
		for (const [i, rule] of (given[key] ?? []).entries()) {
			const path = `${at}.${key}[${i}]`;
			const names = new Unique();
			for (const [j, name] of (rule.resourceNames ?? []).entries()) {
				texts(out, `${path}.resourceNames[${j}]`, name, pathSegment(name));
				names.check(out, `${path}.resourceNames[${j}]`, name);
			}
			ruleWithOperations(out, path, rule);
		}
}

function variables(
	out: Errors,
	list: readonly { readonly name: string; readonly expression: string }[],
	compiled: readonly CompiledVariable[],
): void {
	for (const [i, { name, expression }] of list.entries()) {
		const at = `spec.variables[${i}]`;
		if (goTrim(name) === '') out.push(required(`${at}.name`, 'name is not specified'));
		else if (!CEL_NAME.test(name) || RESERVED.has(name)) out.push(invalidValue(`${at}.name`, name, 'must be a valid CEL identifier'));
		if (goTrim(expression) === '') out.push(required(`${at}.expression`, 'expression is not specified'));
		else compiles(out, `${at}.expression`, expression, compiled[i]?.compiled);
	}
}

const ACTIONS = ['Audit', 'Deny', 'Warn'];
const DENY_AND_WARN =
	'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';

export function validatingAdmissionPolicyBinding(out: Errors, object: ValidatingAdmissionPolicyBinding): void {
	binding(out, object);
	const actions = object.spec?.validationActions ?? [];
	const seen = new Set<string>();
	for (const [i, action] of actions.entries()) {
		const at = `spec.validationActions[${i}]`;
		oneOf(out, at, action, ACTIONS);
		if (seen.has(action)) out.push(duplicate(at, action));
		seen.add(action);
	}
	if (seen.has('Deny') && seen.has('Warn')) out.push(invalidValue('spec.validationActions', actions, DENY_AND_WARN));
	if (actions.length === 0) out.push(required('spec.validationActions', 'at least one validation action is required'));
}

export function mutatingAdmissionPolicyBinding(out: Errors, object: MutatingAdmissionPolicyBinding): void {
	binding(out, object);
	mutable(out, 'spec.matchResources', object.spec?.matchResources);
}

function binding(out: Errors, { metadata, spec }: ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding): void {
	objectMeta(out, metadata, CLUSTER);
	const { policyName = '', paramRef, matchResources: resources } = spec ?? {};
	if (present(out, 'spec.policyName', policyName)) texts(out, 'spec.policyName', policyName, dnsSubdomain(policyName));
	paramReference(out, paramRef);
	if (resources !== undefined) matchResources(out, 'spec.matchResources', resources);
}

const EXCLUSIVE = 'name and selector are mutually exclusive';

function paramReference(out: Errors, ref: ParamRef | undefined): void {
	if (ref === undefined) return;
	const at = 'spec.paramRef';
	const { name = '', selector, parameterNotFoundAction } = ref;
	if (name !== '') {
		texts(out, `${at}.name`, name, pathSegment(name));
		if (selector !== undefined) out.push(fieldForbidden(`${at}.name`, EXCLUSIVE));
	}
	if (selector !== undefined) {
		labelSelector(out, `${at}.selector`, selector);
		if (name !== '') out.push(fieldForbidden(`${at}.selector`, EXCLUSIVE));
	}
	if (name === '' && selector === undefined) out.push(required(at, 'one of name or selector must be specified'));
	if (parameterNotFoundAction === undefined) out.push(required(`${at}.parameterNotFoundAction`));
	else if (parameterNotFoundAction === '') out.push(required(`${at}.parameterNotFoundAction`));
	else oneOf(out, `${at}.parameterNotFoundAction`, parameterNotFoundAction, ['Deny', 'Allow']);
}
