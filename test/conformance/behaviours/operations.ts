/** [sig-api-machinery] "should support API operations": priority and fairness, admission policies. */
import { supportsOperations } from '../operations.ts';
import { conformance } from '../suite.ts';

const condition = { type: 'Probed', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'Probed', message: 'probed' };
const FLOW = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1' };
const ADMISSION = { group: 'admissionregistration.k8s.io', version: 'v1' };
const matchConstraints = {
	resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }],
};
const matchResources = { namespaceSelector: { matchLabels: { none: 'none' } } };

conformance('[sig-api-machinery] API priority and fairness should support FlowSchema API operations [Conformance]', (world) =>
	supportsOperations(world, {
		...FLOW,
		plural: 'flowschemas',
		kind: 'FlowSchema',
		fields: {
			spec: { matchingPrecedence: 10000, priorityLevelConfiguration: { name: 'global-default' }, distinguisherMethod: { type: 'ByUser' } },
		},
		change: { spec: { matchingPrecedence: 9999 } },
		status: { conditions: [condition] },
	}),
);

conformance(
	'[sig-api-machinery] API priority and fairness should support PriorityLevelConfiguration API operations [Conformance]',
	(world) =>
		supportsOperations(world, {
			...FLOW,
			plural: 'prioritylevelconfigurations',
			kind: 'PriorityLevelConfiguration',
			fields: { spec: { type: 'Limited', limited: { nominalConcurrencyShares: 2, limitResponse: { type: 'Reject' } } } },
			change: { spec: { limited: { nominalConcurrencyShares: 4 } } },
			status: { conditions: [condition] },
		}),
);

conformance(
	'[sig-api-machinery] ValidatingAdmissionPolicy [Privileged:ClusterAdmin] should support ValidatingAdmissionPolicy API operations [Conformance]',
	(world) =>
		supportsOperations(world, {
			...ADMISSION,
			plural: 'validatingadmissionpolicies',
			kind: 'ValidatingAdmissionPolicy',
			fields: { spec: { matchConstraints, failurePolicy: 'Fail', validations: [{ expression: 'object.spec.replicas <= 100' }] } },
			change: { spec: { failurePolicy: 'Ignore' } },
			status: { conditions: [condition] },
		}),
);

conformance(
	'[sig-api-machinery] ValidatingAdmissionPolicy [Privileged:ClusterAdmin] should support ValidatingAdmissionPolicyBinding API operations [Conformance]',
	(world) =>
		supportsOperations(world, {
			...ADMISSION,
			plural: 'validatingadmissionpolicybindings',
			kind: 'ValidatingAdmissionPolicyBinding',
			fields: { spec: { policyName: 'none.kubeling.test', validationActions: ['Deny'], matchResources } },
			change: { spec: { validationActions: ['Warn', 'Audit'] } },
		}),
);

conformance(
	'[sig-api-machinery] MutatingAdmissionPolicy [Privileged:ClusterAdmin] should support MutatingAdmissionPolicy API operations [Conformance]',
	(world) =>
		supportsOperations(world, {
			...ADMISSION,
			plural: 'mutatingadmissionpolicies',
			kind: 'MutatingAdmissionPolicy',
			fields: {
				spec: {
					matchConstraints,
					failurePolicy: 'Fail',
					reinvocationPolicy: 'Never',
					mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "add", path: "/spec/replicas", value: 3}]' } }],
				},
			},
			change: { spec: { failurePolicy: 'Ignore' } },
		}),
);

conformance(
	'[sig-api-machinery] MutatingAdmissionPolicy [Privileged:ClusterAdmin] should support MutatingAdmissionPolicyBinding API operations [Conformance]',
	(world) =>
		supportsOperations(world, {
			...ADMISSION,
			plural: 'mutatingadmissionpolicybindings',
			kind: 'MutatingAdmissionPolicyBinding',
			fields: { spec: { policyName: 'none.kubeling.test', matchResources } },
			change: { spec: { policyName: 'other.kubeling.test' } },
		}),
);
