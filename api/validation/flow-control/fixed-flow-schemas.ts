/** The flow schemas that are as they are, whoever writes them. */
import { isDeepStrictEqual } from 'node:util';
import { invalidValue } from '../../field-error.ts';
import type { FlowSchema, FlowSchemaSpec, Subject } from '../../gen/types.ts';
import type { Errors } from '../rule.ts';

const EVERYTHING = {
	resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
	nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};
const groups = (...names: readonly string[]): Subject[] => names.map((name) => ({ kind: 'Group', group: { name } }));

const FIXED_SCHEMAS: Readonly<Record<string, FlowSchemaSpec>> = {
	exempt: {
		priorityLevelConfiguration: { name: 'exempt' },
		matchingPrecedence: 1,
		rules: [{ subjects: groups('system:masters'), ...EVERYTHING }],
	},
	'catch-all': {
		priorityLevelConfiguration: { name: 'catch-all' },
		matchingPrecedence: 10_000,
		distinguisherMethod: { type: 'ByUser' },
		rules: [{ subjects: groups('system:unauthenticated', 'system:authenticated'), ...EVERYTHING }],
	},
};

export function fixedSchema(out: Errors, { metadata: { name = '' }, spec }: FlowSchema): void {
	const wanted = Object.hasOwn(FIXED_SCHEMAS, name) ? FIXED_SCHEMAS[name] : undefined;
	if (wanted === undefined || isDeepStrictEqual(JSON.parse(JSON.stringify(spec ?? {})), wanted)) return;
	out.push(invalidValue('spec', shownSchema(spec), `spec of '${name}' must equal the fixed value`));
}

/** As Go prints upstream's own type. */
function shownSchema(spec: FlowSchemaSpec | undefined): object {
	const list = <T, R>(values: readonly T[] | undefined, show: (value: T) => R): readonly R[] | null => values?.map(show) ?? null;
	const { priorityLevelConfiguration, matchingPrecedence = 0, distinguisherMethod, rules } = spec ?? {};
	return {
		PriorityLevelConfiguration: { Name: priorityLevelConfiguration?.name ?? '' },
		MatchingPrecedence: matchingPrecedence,
		DistinguisherMethod: distinguisherMethod === undefined ? null : { Type: distinguisherMethod.type },
		Rules: list(rules, ({ subjects, resourceRules, nonResourceRules }) => ({
			Subjects: list(subjects, ({ kind, user, group, serviceAccount }) => ({
				Kind: kind,
				User: user === undefined ? null : { Name: user.name },
				Group: group === undefined ? null : { Name: group.name },
				ServiceAccount: serviceAccount === undefined ? null : { Namespace: serviceAccount.namespace, Name: serviceAccount.name },
			})),
			ResourceRules: list(resourceRules, ({ verbs, apiGroups, resources, clusterScope = false, namespaces }) => ({
				Verbs: verbs,
				APIGroups: apiGroups,
				Resources: resources,
				ClusterScope: clusterScope,
				Namespaces: namespaces ?? null,
			})),
			NonResourceRules: list(nonResourceRules, ({ verbs, nonResourceURLs }) => ({ Verbs: verbs, NonResourceURLs: nonResourceURLs })),
		})),
	};
}
