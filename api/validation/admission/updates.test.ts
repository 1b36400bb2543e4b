/** Webhook configurations and policies that are updated: what older rules let be stays (admissionregistration validation.go). */
import test from 'ava';
import type { KubeObject } from '../../resource.ts';
import { validateUpdate } from '../validation.ts';

const metadata = { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const HOOK = {
	name: 'a.b.c',
	...{ failurePolicy: 'Fail', matchPolicy: 'Equivalent', sideEffects: 'None', timeoutSeconds: 10, admissionReviewVersions: ['v1'] },
	clientConfig: { url: 'https://h' },
};
const hooks = (...all: object[]): KubeObject => ({ metadata, webhooks: all.map((one) => ({ ...HOOK, ...one })) }) as unknown as KubeObject;
const update = (kind: string, after: KubeObject, before: KubeObject): string[] =>
	validateUpdate('admissionregistration.k8s.io', 'v1', kind, after, before, false).map(({ field, message }) =>
		`${field}: ${message.split('\n')[0]}`.replace(/(Invalid|Unsupported) value: ("[^"]*"|\[[^\]]*\]): /, ''),
	);

const values = (value: string): object => ({ matchExpressions: [{ key: 'k', operator: 'In', values: [value] }] });
const condition = (expression: string, name = 'c'): object => ({ name, expression });
const ALL = 'supported values: "None", "NoneOnDryRun", "Some", "Unknown"';
const NO_LABEL =
	"a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const wrong = condition('zork');
const NOT_KNOWN =
	"webhooks[0].matchConditions[0].expression: compilation failed: ERROR: <input>:1:1: undeclared reference to 'zork' (in container '')";

for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'])
	for (const [what, before, after, want] of [
		['side effects stay', hooks({ sideEffects: 'Unknown' }), hooks({ sideEffects: 'Some' }), []],
		['those that are none do not', hooks({ sideEffects: 'Some' }), hooks({ sideEffects: 'x' }), [`webhooks[0].sideEffects: ${ALL}`]],
		[
			'nor do they come to be',
			hooks({}),
			hooks({ sideEffects: 'Some' }),
			['webhooks[0].sideEffects: supported values: "None", "NoneOnDryRun"'],
		],
		[
			'they are said',
			hooks({ sideEffects: 'Some' }),
			hooks({ sideEffects: undefined }),
			['webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun, Some, Unknown'],
		],
		['versions that nobody knows stay', hooks({ admissionReviewVersions: ['v3'] }), hooks({ admissionReviewVersions: ['v4'] }), []],
		[
			'and come twice nowhere',
			hooks({ admissionReviewVersions: ['v3'] }),
			hooks({ admissionReviewVersions: ['v3', 'v3'] }),
			['webhooks[0].admissionReviewVersions[1]: duplicate version'],
		],
		[
			'no versions excuse nothing',
			hooks({ admissionReviewVersions: [] }),
			hooks({ admissionReviewVersions: ['v3'] }),
			['webhooks[0].admissionReviewVersions: must include at least one of v1, v1beta1'],
		],
		['names that are there twice stay', hooks({}, {}), hooks({}, {}, {}), []],
		['and do not come to be', hooks({}), hooks({}, {}), ['webhooks[1].name: Duplicate value: "a.b.c"']],
		['values of selectors stay', hooks({ objectSelector: values('-') }), hooks({ namespaceSelector: values('-') }), []],
		[
			'where there were some',
			hooks({ objectSelector: values('v') }),
			hooks({ objectSelector: values('-') }),
			[`webhooks[0].objectSelector.matchExpressions[0].values[0]: ${NO_LABEL}`],
		],
		['conditions stay', hooks({ matchConditions: [wrong] }), hooks({ matchConditions: [wrong], timeoutSeconds: 9 }), []],
		['with those of all', hooks({ matchConditions: [wrong] }), hooks({ matchConditions: [wrong] }, { name: 'b.b.b' }), [NOT_KNOWN]],
		['as they are', hooks({ matchConditions: [wrong] }), hooks({ matchConditions: [wrong, condition('true', 'd')] }), [NOT_KNOWN]],
	] as const)
		test(`${kind}: ${what}`, (t) => t.deepEqual(update(kind, after, before), [...want]));

const SPEC = {
	failurePolicy: 'Fail',
	matchConstraints: {
		...{ matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },
		resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
	},
};
const PARTS = {
	ValidatingAdmissionPolicy: { validations: [{ expression: 'true' }] },
	MutatingAdmissionPolicy: {
		reinvocationPolicy: 'Never',
		mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/data"}]' } }],
	},
};
const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
const params = { paramKind, matchConditions: [condition('params.x == zork')] };

for (const kind of ['ValidatingAdmissionPolicy', 'MutatingAdmissionPolicy'] as const) {
	const policy = (spec: object): KubeObject => ({ metadata, spec: { ...SPEC, ...PARTS[kind], ...spec } }) as unknown as KubeObject;
	for (const [what, before, after, want] of [
		['conditions stay', policy(params), policy({ ...params, failurePolicy: 'Ignore' }), 0],
		['while their parameters do', policy(params), policy({ ...params, paramKind: { ...paramKind, kind: 'Secret' } }), 1],
		['and they do', policy(params), policy({ ...params, matchConditions: [wrong] }), 1],
		['parameters themselves are looked at', policy({ paramKind: { kind: 'K' } }), policy({ paramKind: { kind: 'K' } }), 1],
	] as const)
		test(`${kind}: ${what}`, (t) => t.is(update(kind, after, before).length, want));
}
