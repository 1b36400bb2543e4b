/** The types of `request` and `namespaceObject` in expressions of admission (upstream plugin/cel BuildRequestType, BuildNamespaceType). */
import { BOOL, DYN, INT, listOf, mapOf, objectOf, STRING, TIMESTAMP, type Type } from '../types.ts';

const NAMES = (...fields: readonly string[]): Record<string, Type> => Object.fromEntries(fields.map((name) => [name, STRING]));
const KIND = objectOf('kubernetes.GroupVersionKind', NAMES('group', 'version', 'kind'));
const RESOURCE = objectOf('kubernetes.GroupVersionResource', NAMES('group', 'version', 'resource'));
const USER = objectOf('kubernetes.UserInfo', {
	...NAMES('username', 'uid'),
	groups: listOf(STRING),
	extra: mapOf(STRING, listOf(STRING)),
});

export const REQUEST_TYPE = objectOf('kubernetes.AdmissionRequest', {
	kind: KIND,
	resource: RESOURCE,
	subResource: STRING,
	requestKind: KIND,
	requestResource: RESOURCE,
	requestSubResource: STRING,
	name: STRING,
	namespace: STRING,
	operation: STRING,
	userInfo: USER,
	dryRun: BOOL,
	options: DYN,
});

export const NAMESPACE_TYPE = objectOf('kubernetes.Namespace', {
	metadata: objectOf('kubernetes.NamespaceMetadata', {
		...NAMES('name', 'generateName', 'namespace', 'UID', 'resourceVersion'),
		labels: mapOf(STRING, STRING),
		annotations: mapOf(STRING, STRING),
		creationTimestamp: TIMESTAMP,
		deletionTimestamp: TIMESTAMP,
		deletionGracePeriodSeconds: INT,
		generation: INT,
		finalizers: listOf(STRING),
	}),
	spec: objectOf('kubernetes.NamespaceSpec', { finalizers: listOf(STRING) }),
	status: objectOf('kubernetes.NamespaceStatus', {
		phase: STRING,
		conditions: listOf(
			objectOf('kubernetes.NamespaceCondition', { ...NAMES('type', 'status', 'message', 'reason'), lastTransitionTime: TIMESTAMP }),
		),
	}),
});
