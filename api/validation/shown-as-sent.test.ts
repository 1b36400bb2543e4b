/** What is sent empty is shown so, and counts as said, where upstream's types keep it apart from what is absent. */
import test from 'ava';
import { decodeObject } from '../codec/codec.ts';
import type { KubeObject } from '../resource.ts';
import { apiVersionOf } from '../resource.ts';
import { validateCreate, validateUpdate } from './validation.ts';

const shown = (errors: readonly { readonly field: string; readonly message: string }[]): string[] =>
	errors.map(({ field, message }) => `${field}: ${message.split('\n')[0]}`);

type Kind = readonly [group: string, kind: string];
const read = ([group, kind]: Kind, parts: object): KubeObject => {
	const resource = { group, version: 'v1', kind };
	const object = { apiVersion: apiVersionOf(resource), kind, metadata: { name: 'a', namespace: 'n' }, ...parts };
	return decodeObject(object, resource, { strictness: 'Ignore', warn: () => {} }) as unknown as KubeObject;
};

const CLAIM: Kind = ['', 'PersistentVolumeClaim'];
const CLASS: Kind = ['storage.k8s.io', 'StorageClass'];
const QUOTA: Kind = ['', 'ResourceQuota'];
const claimed = (requests: object): object => ({
	spec: { accessModes: ['ReadWriteOnce'], resources: { limits: { storage: '2Gi' }, requests }, volumeMode: 'Filesystem' },
	status: { phase: 'Bound', capacity: { storage: '1Gi' } },
});
const classed = (parameters: object): object => ({
	metadata: { name: 'a' },
	...{ provisioner: 'p', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate', parameters },
});

for (const [what, kind, before, after, want] of [
	['parameters of a class', CLASS, classed({ a: 'b' }), classed({}), ['parameters: Invalid value: {}: field is immutable']],
	[
		'scopes of a quota',
		QUOTA,
		{ spec: { scopes: ['BestEffort'] } },
		{ spec: { scopes: [] } },
		['spec.scopes: Invalid value: []: field is immutable'],
	],
	[
		'values of a selector of scopes',
		QUOTA,
		{},
		{
			spec: {
				hard: { services: '1' },
				scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Exists', values: [] }] },
			},
		},
		[
			'spec.scopeSelector.matchExpressions: Invalid value: {"MatchExpressions":[{"ScopeName":"PriorityClass","Operator":"Exists","Values":[]}]}: unsupported scope applied to resource',
		],
	],
	// Requests that are there may lack a size, as nothing of them is compared then.
	[
		'requests of a claim',
		CLAIM,
		claimed({ storage: '1Gi' }),
		claimed({}),
		['spec.resources[storage]: Required value', 'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity'],
	],
] as readonly (readonly [string, Kind, object, object, readonly string[]])[])
	test(`sent empty: ${what}`, (t) =>
		t.deepEqual(shown(validateUpdate(kind[0], 'v1', kind[1], read(kind, after), read(kind, before), kind !== CLASS)), [...want]));

test('sent empty: conditions of a device', (t) => {
	const device = { name: 'd', bindingConditions: ['C'], bindingFailureConditions: [] };
	const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
	const slice: Kind = ['resource.k8s.io', 'ResourceSlice'];
	const object = read(slice, { metadata: { name: 'a' }, spec: { driver: 'd.io', allNodes: true, pool, devices: [device] } });
	t.deepEqual(shown(validateCreate('resource.k8s.io', 'v1', 'ResourceSlice', object, false)), [
		'spec.devices[0].bindingFailureConditions: Invalid value: []: bindingFailureConditions are required to use bindingConditions',
	]);
});
