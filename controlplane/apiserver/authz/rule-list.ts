/** What authorizers can list of what they allow a user, each in its turn (upstream's RulesFor). Pure. */
import type { PolicyRule } from '../../../api/gen/types.ts';
import type { UserInfo } from '../contracts.ts';
import type { AuthorizerOptions } from './configuration.ts';
import { policyRules } from './abac.ts';
import { missingRole, type RbacAuthorizer } from './rbac.ts';

export interface RuleList {
	readonly rules: readonly PolicyRule[];
	/** Somebody allows more than can be listed. */
	readonly incomplete: boolean;
	readonly errors: readonly string[];
}

export function ruleList(
	modes: readonly AuthorizerOptions[],
	rbac: Pick<RbacAuthorizer, 'rulesFor'>,
	user: UserInfo,
	namespace: string,
): RuleList {
	const lists = modes.map((mode) => listOf(mode, rbac, user, namespace));
	return {
		rules: lists.flatMap(({ rules }) => rules),
		incomplete: lists.some(({ incomplete }) => incomplete),
		errors: [...new Set(lists.flatMap(({ errors }) => errors))],
	};
}

const NOTHING: RuleList = { rules: [], incomplete: false, errors: [] };
const EVERYTHING: RuleList = {
	...NOTHING,
	rules: [
		{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
		{ verbs: ['*'], nonResourceURLs: ['*'] },
	],
};

function listOf(mode: AuthorizerOptions, rbac: Pick<RbacAuthorizer, 'rulesFor'>, user: UserInfo, namespace: string): RuleList {
	switch (mode.type) {
		case 'RBAC': {
			const { rules, missing } = rbac.rulesFor(user, namespace);
			// A role that is not there allows nothing that would be missing here.
			return { rules, incomplete: false, errors: missing.map(missingRole) };
		}
		case 'AlwaysAllow':
			return EVERYTHING;
		case 'AlwaysDeny':
			return NOTHING;
		case 'Node':
			return isNode(user) ? unlisted('node') : NOTHING;
		case 'ABAC':
			return { ...NOTHING, rules: policyRules(mode.policies, user, namespace) };
		case 'Webhook':
			return unlisted('webhook');
	}
}

function unlisted(authorizer: string): RuleList {
	return { rules: [], incomplete: true, errors: [`${authorizer} authorizer does not support user rule resolution`] };
}

function isNode({ name, groups }: UserInfo): boolean {
	return name.startsWith('system:node:') && groups.includes('system:nodes');
}
