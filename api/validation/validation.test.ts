import test from 'ava';
import type { FieldError } from '../field-error.ts';
import type { KubeObject } from '../resource.ts';
import { validateCreate, validateUpdate } from './validation.ts';

const metadata = { name: 'a', namespace: 'n' };
const container = { name: 'c', image: 'i', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' };
const podSpec = { containers: [container], restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' };
const pod = (spec: object): KubeObject => ({ metadata, spec: { ...podSpec, ...spec } }) as KubeObject;
const withContainer = (extra: object): KubeObject => pod({ containers: [{ ...container, ...extra }] });
const text = (errors: readonly FieldError[]): string[] => errors.map(({ field, message }) => `${field}: ${message}`);

for (const [name, group, kind, object, want] of [
	['a good pod', '', 'Pod', pod({}), []],
	['no containers', '', 'Pod', pod({ containers: [] }), ['spec.containers: Required value']],
	[
		'several faults come in upstream order',
		'',
		'Pod',
		pod({ containers: [{ ...container, image: '' }], restartPolicy: 'x', dnsPolicy: 'y' }),
		[
			'spec.containers[0].image: Required value',
			'spec.restartPolicy: Unsupported value: "x": supported values: "Always", "OnFailure", "Never"',
			'spec.dnsPolicy: Unsupported value: "y": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
		],
	],
	[
		'an unknown mount',
		'',
		'Pod',
		withContainer({ volumeMounts: [{ name: 'v', mountPath: '/x' }] }),
		['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
	],
	[
		'a request above its limit',
		'',
		'Pod',
		withContainer({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
		['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
	],
	[
		'a key that starts with two dots',
		'',
		'ConfigMap',
		{ metadata, data: { '..x': '1' } } as unknown as KubeObject,
		[`data[..x]: Invalid value: "..x": must not start with '..'`],
	],
	[
		'a role without verbs',
		'rbac.authorization.k8s.io',
		'Role',
		{ metadata, rules: [{ apiGroups: [''], resources: ['pods'], verbs: [] }] } as unknown as KubeObject,
		['rules[0].verbs: Required value: verbs must contain at least one value'],
	],
] as const)
	test(`validateCreate(): ${name}`, (t) => t.deepEqual(text(validateCreate(group, 'v1', kind, object, true)), [...want]));

test('validateUpdate(): an immutable ConfigMap', (t) => {
	const old = { metadata, data: { k: 'v' }, immutable: true } as unknown as KubeObject;
	const next = { metadata, data: { k: 'z' }, immutable: true } as unknown as KubeObject;
	t.deepEqual(text(validateUpdate('', 'v1', 'ConfigMap', next, old, true)), [
		'data: Forbidden: field is immutable when `immutable` is set',
	]);
});

test('validateUpdate(): a bad label is found by the common rules and by the kind', (t) => {
	const old = { metadata } as unknown as KubeObject;
	const next = { metadata: { ...metadata, labels: { a: 'b c' } } } as unknown as KubeObject;
	t.is(validateUpdate('', 'v1', 'ConfigMap', next, old, true).length, 4);
});
