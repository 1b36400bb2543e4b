/**
 * Kubernetes' authorizer library: `authorizer.group('apps').resource('deployments').namespace('n').check('get').allowed()`. A check is answered by
 * whoever evaluates: `decide` of the authorizer value gives the decision, or throws to have it looked up first.
 */
import { dnsLabel, dnsSubdomain } from '../../validation/names.ts';
import { EvalError } from '../errors.ts';
import { overload, type Overload } from '../functions.ts';
import { opaque, type Type } from '../types.ts';
import { Opaque, type Value } from '../values.ts';

export interface AuthorizationDecision {
	readonly allowed: boolean;
	readonly reason: string;
	/** '' when it could be decided. */
	readonly error: string;
}

/** What is asked: a path, or a resource. `serviceAccount`: of this account instead of the caller. */
export interface AuthorizationCheck {
	readonly serviceAccount?: { readonly namespace: string; readonly name: string };
	readonly path?: string;
	readonly group?: string;
	readonly resource?: string;
	readonly subresource?: string;
	readonly namespace?: string;
	readonly name?: string;
	readonly fieldSelector?: string;
	readonly labelSelector?: string;
	readonly verb: string;
}

export type Decide = (check: AuthorizationCheck) => AuthorizationDecision;

interface Asking {
	readonly decide: Decide;
	readonly check: Omit<AuthorizationCheck, 'verb'>;
}

const P = 'kubernetes.authorization.';
const AUTHORIZER = `${P}Authorizer`;
const PATH = `${P}PathCheck`;
const GROUP = `${P}GroupCheck`;
const RESOURCE = `${P}ResourceCheck`;
const DECISION = `${P}Decision`;

export const AUTHORIZER_TYPE: Type = opaque(AUTHORIZER);
export const RESOURCE_CHECK_TYPE: Type = opaque(RESOURCE);

/** The value of `authorizer`. */
export function authorizerValue(decide: Decide): Value {
	return new Opaque<Asking>(AUTHORIZER, { decide, check: {} });
}

/** The value of `authorizer.requestResource`. */
export function resourceCheckValue(decide: Decide, check: Omit<AuthorizationCheck, 'verb'>): Value {
	return new Opaque<Asking>(RESOURCE, { decide, check });
}

const of = (value: Value | undefined): Asking => (value as Opaque<Asking>).value;
const decision = (value: Value | undefined): AuthorizationDecision => (value as Opaque<AuthorizationDecision>).value;

/** The value with one more thing said about what is checked. */
function narrowed(to: string, field: keyof AuthorizationCheck): (value?: Value, text?: Value) => Value {
	return (value, text) => {
		const { decide, check } = of(value);
		return new Opaque<Asking>(to, { decide, check: { ...check, [field]: text as string } });
	};
}

/** The same of something that must be named. */
function named(to: string, field: 'path' | 'resource'): (value?: Value, text?: Value) => Value {
	const narrow = narrowed(to, field);
	return (value, text) => {
		if ((text as string).trim() === '') throw new EvalError(`${field} must not be empty`);
		return narrow(value, text);
	};
}

function checked(value?: Value, verb?: Value): Value {
	const { decide, check } = of(value);
	return new Opaque(DECISION, decide({ ...check, verb: verb as string }));
}

function asServiceAccount(value?: Value, namespace?: Value, name?: Value): Value {
	const { decide, check } = of(value);
	if (dnsSubdomain(name as string).length > 0) throw new EvalError('Invalid service account name');
	if (dnsLabel(namespace as string).length > 0) throw new EvalError('Invalid service account namespace');
	return new Opaque<Asking>(AUTHORIZER, {
		decide,
		check: { ...check, serviceAccount: { namespace: namespace as string, name: name as string } },
	});
}

/** Upstream's: one expression can afford two checks. */
const CHECK_COST = { cost: () => 350_000, estimate: () => ({ cost: { min: 350_000, max: 350_000 } }) };

export const authorization: readonly Overload[] = [
	overload('authorizer_path', `${AUTHORIZER}::path(string): ${PATH}`, named(PATH, 'path')),
	overload('authorizer_group', `${AUTHORIZER}::group(string): ${GROUP}`, narrowed(GROUP, 'group')),
	overload('authorizer_serviceaccount', `${AUTHORIZER}::serviceAccount(string, string): ${AUTHORIZER}`, asServiceAccount),
	overload('groupcheck_resource', `${GROUP}::resource(string): ${RESOURCE}`, named(RESOURCE, 'resource')),
	overload('resourcecheck_subresource', `${RESOURCE}::subresource(string): ${RESOURCE}`, narrowed(RESOURCE, 'subresource')),
	overload('resourcecheck_namespace', `${RESOURCE}::namespace(string): ${RESOURCE}`, narrowed(RESOURCE, 'namespace')),
	overload('resourcecheck_name', `${RESOURCE}::name(string): ${RESOURCE}`, narrowed(RESOURCE, 'name')),
	overload('resourcecheck_fieldselector', `${RESOURCE}::fieldSelector(string): ${RESOURCE}`, narrowed(RESOURCE, 'fieldSelector')),
	overload('resourcecheck_labelselector', `${RESOURCE}::labelSelector(string): ${RESOURCE}`, narrowed(RESOURCE, 'labelSelector')),
	overload('pathcheck_check', `${PATH}::check(string): ${DECISION}`, checked, CHECK_COST),
	overload('resourcecheck_check', `${RESOURCE}::check(string): ${DECISION}`, checked, CHECK_COST),
	overload('decision_allowed', `${DECISION}::allowed(): bool`, (value) => decision(value).allowed),
	overload('decision_reason', `${DECISION}::reason(): string`, (value) => decision(value).reason),
	overload('decision_error', `${DECISION}::error(): string`, (value) => decision(value).error),
	overload('decision_errored', `${DECISION}::errored(): bool`, (value) => decision(value).error !== ''),
];
