/** Upstream's mandatory and suggested flow schemas and priority levels (facts of Kubernetes 1.36). Data. */
import type { FlowSchema, PriorityLevelConfiguration } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';

const API_VERSION = 'flowcontrol.apiserver.k8s.io/v1';
const ANNOTATIONS = { 'apf.kubernetes.io/autoupdate-spec': 'true' };

/** Name, shares, lendable per cent, queues, hand size (queues 0: reject). Queue length is 50. */
const LEVELS = [
	['catch-all', 5, 0, 0, 0],
	['global-default', 20, 50, 128, 6],
	['leader-election', 10, 0, 16, 4],
	['node-high', 40, 25, 64, 6],
	['system', 30, 33, 64, 6],
	['workload-high', 40, 50, 128, 6],
	['workload-low', 100, 90, 128, 6],
] as const;

export const PRIORITY_LEVELS: readonly PriorityLevelConfiguration[] = [
	{
		apiVersion: API_VERSION,
		kind: 'PriorityLevelConfiguration',
		metadata: { name: 'exempt', annotations: ANNOTATIONS },
		spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
	},
	...LEVELS.map(([name, shares, lendablePercent, queues, handSize]) => ({
		apiVersion: API_VERSION,
		kind: 'PriorityLevelConfiguration',
		metadata: { name, annotations: ANNOTATIONS },
		spec: {
			type: 'Limited',
			limited: {
				nominalConcurrencyShares: shares,
				lendablePercent,
				limitResponse: queues === 0 ? { type: 'Reject' } : { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } },
			},
		},
	})),
];

interface FlowRule {
	readonly verbs: readonly string[];
	readonly group: string;
	readonly resources: readonly string[];
	readonly namespaces: readonly string[];
	readonly cluster?: boolean;
}

const ANYTHING: FlowRule = { verbs: ['*'], group: '*', resources: ['*'], namespaces: ['*'], cluster: true };
const EVERYONE = ['group system:unauthenticated', 'group system:authenticated'];
const LEASE_WRITES = ['get', 'create', 'update'];

/** Name, precedence, level, distinguisher, subjects, resource rules, and the verbs and URLs of the non-resource rule. */
const SCHEMAS: readonly (readonly [
	string,
	number,
	string,
	string,
	readonly string[],
	readonly FlowRule[],
	readonly [string, ...string[]] | undefined,
])[] = [
	['exempt', 1, 'exempt', '', ['group system:masters'], [ANYTHING], ['*', '*']],
	['probes', 2, 'exempt', '', EVERYONE, [], ['get', '/healthz', '/readyz', '/livez']],
	[
		'system-leader-election',
		100,
		'leader-election',
		'ByUser',
		['user system:kube-controller-manager', 'user system:kube-scheduler', 'sa *'],
		[{ verbs: LEASE_WRITES, group: 'coordination.k8s.io', resources: ['leases'], namespaces: ['*'] }],
		undefined,
	],
	[
		'system-node-high',
		400,
		'node-high',
		'ByUser',
		['group system:nodes'],
		[
			{ verbs: ['*'], group: '', resources: ['nodes', 'nodes/status'], namespaces: ['*'], cluster: true },
			{ verbs: ['*'], group: 'coordination.k8s.io', resources: ['leases'], namespaces: ['*'] },
		],
		undefined,
	],
	['system-nodes', 500, 'system', 'ByUser', ['group system:nodes'], [ANYTHING], ['*', '*']],
	['kube-controller-manager', 800, 'workload-high', 'ByNamespace', ['user system:kube-controller-manager'], [ANYTHING], ['*', '*']],
	['kube-scheduler', 800, 'workload-high', 'ByNamespace', ['user system:kube-scheduler'], [ANYTHING], ['*', '*']],
	['kube-system-service-accounts', 900, 'workload-high', 'ByNamespace', ['sa *'], [ANYTHING], ['*', '*']],
	['service-accounts', 9000, 'workload-low', 'ByUser', ['group system:serviceaccounts'], [ANYTHING], ['*', '*']],
	['global-default', 9900, 'global-default', 'ByUser', EVERYONE, [ANYTHING], ['*', '*']],
	['catch-all', 10000, 'catch-all', 'ByUser', EVERYONE, [ANYTHING], ['*', '*']],
];

export const FLOW_SCHEMA_DATA: readonly FlowSchema[] = SCHEMAS.map(
	([name, matchingPrecedence, level, distinguisher, subjects, rules, urls]) => ({
		apiVersion: API_VERSION,
		kind: 'FlowSchema',
		metadata: { name, annotations: ANNOTATIONS },
		spec: {
			priorityLevelConfiguration: { name: level },
			matchingPrecedence,
			...(distinguisher === '' ? {} : { distinguisherMethod: { type: distinguisher } }),
			rules: [
				{
					subjects: subjects.map(subject),
					...(rules.length === 0 ? {} : { resourceRules: rules.map(resourceRule) }),
					...(urls === undefined ? {} : { nonResourceRules: [{ verbs: [urls[0]], nonResourceURLs: urls.slice(1) }] }),
				},
			],
		},
	}),
);

function resourceRule(rule: FlowRule) {
	return {
		verbs: [...rule.verbs],
		apiGroups: [rule.group],
		resources: [...rule.resources],
		namespaces: [...rule.namespaces],
		...(rule.cluster === true ? { clusterScope: true } : {}),
	};
}

function subject(text: string) {
	const [kind = '', name = ''] = text.split(' ');
	if (kind === 'sa') return { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name } };
	return kind === 'user' ? { kind: 'User', user: { name } } : { kind: 'Group', group: { name } };
}

/** Those without which no server runs: they are in force even where their objects are gone. */
export function isMandatory({ metadata }: KubeObject): boolean {
	return metadata.name === 'exempt' || metadata.name === 'catch-all';
}
export const MANDATORY_LEVELS = PRIORITY_LEVELS.filter(isMandatory);
export const MANDATORY_SCHEMAS = FLOW_SCHEMA_DATA.filter(isMandatory);
