/** Attribute-based authorization: one policy a line of a file, in upstream's form (abac.authorization.kubernetes.io/v1beta1, and the form before). */
import type { PolicyRule } from '../../../api/gen/types.ts';
import { AppError } from '../../../base/errors.ts';
import type { Attributes, Authorizer, Decision, UserInfo } from '../contracts.ts';

export interface AbacPolicy {
	readonly user?: string;
	readonly group?: string;
	readonly readonly?: boolean;
	readonly apiGroup?: string;
	readonly resource?: string;
	readonly namespace?: string;
	readonly nonResourcePath?: string;
}

const YES: Decision = { allowed: true, denied: false, reason: '' };
const NO: Decision = { allowed: false, denied: false, reason: 'No policy matched.' };
const AUTHENTICATED = 'system:authenticated';
const READS = new Set(['get', 'list', 'watch']);
const VERSION = 'abac.authorization.kubernetes.io/v1beta1';

export function abac(policies: readonly AbacPolicy[]): Authorizer {
	const decide = (asked: Attributes): Decision => (policies.some((policy) => matches(policy, asked)) ? YES : NO);
	return { decide, authorize: (asked) => Promise.resolve(decide(asked)) };
}

/** What the policies list of what a user may do in a namespace; those of paths count where they are for all namespaces. Pure. */
export function policyRules(policies: readonly AbacPolicy[], user: UserInfo, namespace: string): readonly PolicyRule[] {
	return policies
		.filter((policy) => isSubject(policy, user) && (policy.namespace === '*' || (policy.namespace ?? '') === namespace))
		.flatMap(({ readonly = false, apiGroup = '', resource = '', nonResourcePath = '' }) => {
			const verbs = readonly ? [...READS] : ['*'];
			return [
				...(resource === '' ? [] : [{ verbs, apiGroups: [apiGroup], resources: [resource] }]),
				...(nonResourcePath === '' ? [] : [{ verbs, nonResourceURLs: [nonResourcePath] }]),
			];
		});
}

/** Lines that are empty or begin with "#" say nothing. AppError InvalidArgument names the line. */
export function parsePolicies(text: string, source: string): readonly AbacPolicy[] {
	return text.split('\n').flatMap((line, i) => {
		if (line.trim() === '' || line.trim().startsWith('#')) return [];
		try {
			return [policyOf(JSON.parse(line) as Line)];
		} catch (cause) {
			throw new AppError('InvalidArgument', `The policy file "${source}" is wrong in line ${i + 1}: ${(cause as Error).message}`, {
				cause,
			});
		}
	});
}

type Line = AbacPolicy & { readonly apiVersion?: string; readonly kind?: string; readonly spec?: AbacPolicy };

function policyOf(line: Line): AbacPolicy {
	const { apiVersion, kind, spec, ...unversioned } = line;
	if (apiVersion === undefined && kind === undefined) return everyone(formerForm(unversioned));
	if (apiVersion !== VERSION || kind !== 'Policy') throw new Error(`it is no Policy of ${VERSION}`);
	return everyone(spec ?? {});
}

/** Before there were versions, what was not said stood for anything. */
function formerForm(line: AbacPolicy): AbacPolicy {
	const { user = '', group = '', namespace = '', resource = '' } = line;
	return {
		...line,
		...(user === '' && group === '' ? { group: AUTHENTICATED } : {}),
		namespace: namespace === '' ? '*' : namespace,
		resource: resource === '' ? '*' : resource,
		apiGroup: '*',
		...(namespace === '' && resource === '' ? { nonResourcePath: '*' } : {}),
	};
}

/** "*" is whoever has proven to be somebody. */
function everyone(policy: AbacPolicy): AbacPolicy {
	if (policy.user !== '*' && policy.group !== '*') return policy;
	return { ...policy, user: policy.user === '*' ? '' : (policy.user ?? ''), group: AUTHENTICATED };
}

function matches(policy: AbacPolicy, asked: Attributes): boolean {
	if (!isSubject(policy, asked.user)) return false;
	if (policy.readonly === true && !READS.has(asked.verb)) return false;
	if (asked.type === 'path') return isPath(policy.nonResourcePath ?? '', asked.path);
	const one = (given = '', value: string): boolean => given === '*' || given === value;
	return one(policy.namespace, asked.namespace) && one(policy.resource, asked.resource) && one(policy.apiGroup, asked.group);
}

function isSubject({ user = '', group = '' }: AbacPolicy, asked: UserInfo): boolean {
	if (user === '' && group === '') return false;
	return (user === '' || user === asked.name) && (group === '' || asked.groups.includes(group));
}

function isPath(pattern: string, path: string): boolean {
	if (pattern === '') return false;
	return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));
}
