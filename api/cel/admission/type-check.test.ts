import test from 'ava';
import type { ValidatingAdmissionPolicySpec } from '../../gen/types.ts';
import { builtInKindType } from '../../openapi/built-in-cel-types.ts';
import { documentKindType } from '../../openapi/cel-types.ts';
import { DYN, type Type } from '../types.ts';
import { expressionWarnings, kindsToCheck, type TypedKind } from './type-check.ts';

const typed = (group: string, version: string, kind: string): TypedKind => {
	const type = builtInKindType({ group, version, kind });
	if (type === undefined) throw new Error(`no kind ${kind}`);
	return { group, version, kind, type };
};
const POD = typed('', 'v1', 'Pod');
const CONFIG_MAP = typed('', 'v1', 'ConfigMap');
const DEPLOYMENT = typed('apps', 'v1', 'Deployment');

/** "line:column: text" of each complaint about one expression. */
function complaints(expression: string, kind: TypedKind, more: ValidatingAdmissionPolicySpec = {}, params?: Type): readonly string[] {
	const [warning] = expressionWarnings({ validations: [{ expression }], ...more }, [kind], params);
	return [...(warning?.warning ?? '').matchAll(/ERROR: <input>:(\d+:\d+: .*)/g)].map(([, text]) => text ?? '');
}

test('a warning names the expression, the kind, and shows the place', (t) => {
	const spec = {
		validations: [{ expression: 'object.spec.replicas > 1', messageExpression: 'object.foo' }, { expression: 'object.replicas > 1' }],
	};
	t.deepEqual(expressionWarnings(spec, [DEPLOYMENT, typed('apps', 'v1', 'ReplicaSet')], undefined), [
		{
			fieldRef: 'spec.validations[0].messageExpression',
			warning:
				"apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo\n | ......^\n\napps/v1, Kind=ReplicaSet: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo\n | ......^\n",
		},
		{
			fieldRef: 'spec.validations[1].expression',
			warning:
				"apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^\n\napps/v1, Kind=ReplicaSet: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^\n",
		},
	]);
});

// As upstream's checker (1.36) says of each.
for (const [kind, expression, ...want] of [
	[POD, "object.metadata.namespace == 'x' && object.metadata.__namespace__ == 'x'"],
	[POD, "object.metadata.creationTimestamp < timestamp('2020-01-01T00:00:00Z')"],
	[POD, 'object.spec.containers[0].livenessProbe.httpGet.port.x.y'],
	[POD, "object.spec.containers.all(c, c.resources.limits['cpu'] == '1')", "1:42: undefined field 'limits'"],
	[POD, "object.spec.volumes.all(v, v.emptyDir.sizeLimit == '1Gi')", "1:38: undefined field 'sizeLimit'"],
	[POD, 'object.metadata.managedFields[0].fieldsV1.x', "1:42: undefined field 'x'"],
	[POD, 'object.spec + 1', "1:13: found no matching overload for '_+_' applied to '(Pod.spec, int)'"],
	[POD, 'object.spec.volumes + 1', "1:21: found no matching overload for '_+_' applied to '(list(Pod.spec.volumes.@idx), int)'"],
	[POD, 'oldObject.zork', "1:10: undefined field 'zork'"],
	[POD, 'params.x', "1:1: undeclared reference to 'params' (in container '')"],
	[POD, 'variables.x', "1:10: undefined field 'x'"],
	[POD, 'request.zork', "1:8: undefined field 'zork'"],
	[POD, 'authorizer.requestResource', "1:11: unexpected failed resolution of 'kubernetes.authorization.Authorizer'"],
	[POD, 'authorizer.group(1)', "1:17: found no matching overload for 'group' applied to 'kubernetes.authorization.Authorizer.(int)'"],
	[CONFIG_MAP, 'object.data.x == 1', "1:15: found no matching overload for '_==_' applied to '(string, int)'"],
	[CONFIG_MAP, "object.binaryData.x == 'y'", "1:21: found no matching overload for '_==_' applied to '(bytes, string)'"],
	[CONFIG_MAP, 'has(object.zork)', "1:4: undefined field 'zork'"],
	[CONFIG_MAP, 'has(object.data.zork)'],
	[CONFIG_MAP, "'a string'"],
	[DEPLOYMENT, 'object.spec.template.spec.containers.all(c, c.securityContext.runAsNonRoot)'],
] as const)
	test(`type check: ${expression}`, (t) => t.deepEqual(complaints(expression, kind), want));

const variables = [
	{ name: 'text', expression: 'object.data.x' },
	{ name: 'list', expression: 'object.metadata.ownerReferences' },
	{ name: 'wrong', expression: 'object.zork' },
	{ name: 'later', expression: 'variables.text.size()' },
];
for (const [expression, ...want] of [
	['variables.text == 1', "1:16: found no matching overload for '_==_' applied to '(string, int)'"],
	['variables.list.all(o, o.zork)'],
	['variables.list + 1', "1:16: found no matching overload for '_+_' applied to '(list(dyn), int)'"],
	['variables.wrong.x.y'],
	["variables.later == ''", "1:17: found no matching overload for '_==_' applied to '(int, string)'"],
] as const)
	test(`type check with variables: ${expression}`, (t) => t.deepEqual(complaints(expression, CONFIG_MAP, { variables }), want));

test('parameters have the type of their kind, and any where it is not known', (t) => {
	const secret = typed('', 'v1', 'Secret').type;
	t.deepEqual(complaints("params.data.x == 'a'", POD, {}, secret), [
		"1:15: found no matching overload for '_==_' applied to '(bytes, string)'",
	]);
	t.deepEqual(complaints("params.data.x == 'a'", POD, {}, DYN), []);
});

const rule = (apiGroups: string[], apiVersions: string[], resources: string[]) => ({
	apiGroups,
	apiVersions,
	operations: ['CREATE'],
	resources,
});
for (const [what, rules, want] of [
	[
		'each version and resource, in order',
		[rule(['b', 'a'], ['v2', 'v1'], ['y', 'x'])],
		'a/v1/x a/v1/y a/v2/x a/v2/y b/v1/x b/v1/y b/v2/x b/v2/y',
	],
	['no wildcards of groups', [rule(['*'], ['v1'], ['x'])], ''],
	['no wildcards of versions', [rule(['a'], ['*'], ['x'])], ''],
	['no subresources and wildcards of resources', [rule(['a'], ['v1'], ['*', 'x/status', 'x'])], 'a/v1/x'],
	['each once', [rule(['a'], ['v1'], ['x']), rule(['a'], ['v1'], ['x'])], 'a/v1/x'],
	['not more than ten', [rule(['a'], ['v1'], [...'klmabcdefghij'])], [...'abcdefghij'].map((r) => `a/v1/${r}`).join(' ')],
] as const)
	test(`kinds to check: ${what}`, (t) => {
		const found = kindsToCheck({ matchConstraints: { resourceRules: [...rules] } }, ({ group, version, resource }) => [
			{ group, version, kind: resource },
		]);
		t.is(found.map(({ group, version, kind }) => `${group}/${version}/${kind}`).join(' '), want);
	});

test('kinds of OpenAPI documents: references, embedded resources, what has no type', (t) => {
	const document = {
		components: {
			schemas: {
				'io.x.v1.Thing': {
					type: 'object',
					properties: {
						metadata: { allOf: [{ $ref: '#/components/schemas/Meta' }] },
						spec: {
							type: 'object',
							properties: { anything: {}, 'a-b': { type: 'integer' }, inner: { type: 'object', 'x-kubernetes-embedded-resource': true } },
						},
						again: { $ref: '#/components/schemas/io.x.v1.Thing' },
					},
					'x-kubernetes-group-version-kind': [{ group: 'x.io', version: 'v1', kind: 'Thing' }],
				},
				Meta: {
					type: 'object',
					properties: { name: { type: 'string' }, labels: { type: 'object', additionalProperties: { type: 'string' } } },
				},
			},
		},
	};
	const name = { group: 'x.io', version: 'v1', kind: 'Thing' };
	t.is(documentKindType(document, { ...name, kind: 'Other' }), undefined);
	const type = documentKindType(document, name) ?? DYN;
	const said = (expression: string): readonly string[] => complaints(expression, { ...name, type });
	t.deepEqual(
		said("object.metadata.labels.x == 'a' && object.spec.a__dash__b == 1 && object.spec.inner.kind == 'x' && object.apiVersion == 'v'"),
		[],
	);
	t.deepEqual(said('object.spec.anything'), ["1:12: undefined field 'anything'"]);
	t.deepEqual(said('object.again.spec'), ["1:13: undefined field 'spec'"]);
});
