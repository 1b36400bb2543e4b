/** Rules of webhooks and policies: operations, groups, versions, resources with subresources, scope. Pure. */
import type { NamedRuleWithOperations, RuleWithOperations } from '../../../../api/gen/types.ts';
import type { AdmissionAttributes } from '../../contracts.ts';

/** What a rule is held against: the request's own resource, or an equivalent one. */
export interface Asked {
	readonly group: string;
	readonly version: string;
	readonly resource: string;
}

export function matchesRule(rule: RuleWithOperations, asked: Asked, attributes: AdmissionAttributes): boolean {
	const { operation, subresource } = attributes;
	return (
		inScope(rule.scope ?? '*', attributes) &&
		includes(rule.operations, operation) &&
		includes(rule.apiGroups, asked.group) &&
		includes(rule.apiVersions, asked.version) &&
		(rule.resources ?? []).some((text) => {
			const [resource = '', sub = ''] = text.split('/');
			return (resource === '*' || resource === asked.resource) && (sub === '*' || sub === subresource);
		})
	);
}

/** A policy's rule may be about some names only. */
export function matchesNamedRule(rule: NamedRuleWithOperations, asked: Asked, attributes: AdmissionAttributes): boolean {
	const names = rule.resourceNames ?? [];
	return matchesRule(rule, asked, attributes) && (names.length === 0 || names.includes(attributes.name));
}

function includes(values: readonly string[] | undefined, own: string): boolean {
	return (values ?? []).some((value) => value === '*' || value === own);
}

function inScope(scope: string, { group, resource, namespace }: AdmissionAttributes): boolean {
	const namespaced = namespace !== '' && !(group === '' && resource === 'namespaces');
	return scope === '*' || (scope === 'Namespaced') === namespaced;
}

const CONFIGURATION = new Set([
	'ValidatingWebhookConfiguration',
	'MutatingWebhookConfiguration',
	'ValidatingAdmissionPolicy',
	'ValidatingAdmissionPolicyBinding',
	'MutatingAdmissionPolicy',
	'MutatingAdmissionPolicyBinding',
]);

/** What configures admission is not subject to it, or nobody could repair it. */
export function isAdmissionConfiguration({ group, kind }: AdmissionAttributes): boolean {
	return group === 'admissionregistration.k8s.io' && CONFIGURATION.has(kind);
}

const REVIEWS = new Set([
	'authentication.k8s.io/selfsubjectreviews',
	'authentication.k8s.io/tokenreviews',
	'authorization.k8s.io/localsubjectaccessreviews',
	'authorization.k8s.io/selfsubjectaccessreviews',
	'authorization.k8s.io/selfsubjectrulesreviews',
	'authorization.k8s.io/subjectaccessreviews',
]);

/** Policies do not look at what configures admission, nor at questions about identities and rights: refusing those could break the cluster. */
export function isBeyondPolicies(attributes: AdmissionAttributes): boolean {
	return isAdmissionConfiguration(attributes) || REVIEWS.has(`${attributes.group}/${attributes.resource}`);
}
