/** Values in selectors that no label can have: they stay where they were so before, as upstream's ratcheting has it. */
import test from 'ava';
import type { KubeObject } from '../resource.ts';
import { validateCreate, validateUpdate } from './validation.ts';

type Make = (key: string, value: string, more?: object) => KubeObject;

const meta = { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const expressions = (key: string, value: string): object => ({ matchExpressions: [{ key, operator: 'In', values: [value] }] });
const of = (metadata: object, parts: object): KubeObject => ({ metadata: { ...meta, ...metadata }, ...parts }) as unknown as KubeObject;
const namespaced = { namespace: 'n' };

const budget: Make = (key, value, more) => of({ ...namespaced, ...more }, { spec: { minAvailable: 1, selector: expressions(key, value) } });
const policy: Make = (key, value, more) => of({ ...namespaced, ...more }, { spec: { podSelector: expressions(key, value) } });
const capacity: Make = (key, value, more) =>
	of({ ...namespaced, ...more }, { storageClassName: 's', nodeTopology: expressions(key, value) });
const volume: Make = (key, value, more) =>
	of(more ?? {}, {
		spec: {
			...{ accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/x' } },
			nodeAffinity: { required: { nodeSelectorTerms: [expressions(key, value)] } },
		},
	});

for (const [group, kind, isNamespaced, make, at] of [
	['policy', 'PodDisruptionBudget', true, budget, 'spec.selector'],
	['networking.k8s.io', 'NetworkPolicy', true, policy, 'spec.podSelector'],
	['storage.k8s.io', 'CSIStorageCapacity', true, capacity, 'nodeTopology'],
	['', 'PersistentVolume', false, volume, 'spec.nodeAffinity.required.nodeSelectorTerms[0]'],
] as const) {
	const update = (now: KubeObject, before: KubeObject): string[] => [
		...new Set(
			validateUpdate(group, 'v1', kind, now, before, isNamespaced)
				.map(({ field }) => field)
				.filter((field) => field.includes('.matchExpressions')),
		),
	];
	test(`${kind}: a value that no label can have stays, and none comes to be`, (t) => {
		const told = [`${at}.matchExpressions[0].values[0]`];
		t.deepEqual(
			validateCreate(group, 'v1', kind, make('k', '-'), isNamespaced).map(({ field }) => field),
			told,
		);
		t.deepEqual(validateUpdate(group, 'v1', kind, make('k', '-', { labels: { a: 'b' } }), make('k', '-'), isNamespaced), []);
		t.deepEqual(update(make('k', '-'), make('k', 'v')), told);
		t.deepEqual(update(make('-', '-'), make('k', '-')), [`${at}.matchExpressions[0].key`]);
	});
}

test("NetworkPolicy: a wrong selector of its own excuses those of its peers, which don't excuse anything", (t) => {
	const peers = (value: string, peer: string): KubeObject =>
		of(namespaced, {
			spec: {
				podSelector: expressions('k', value),
				ingress: [{ from: [{ podSelector: expressions('k', peer) }] }],
				egress: [{ to: [{ namespaceSelector: expressions('k', peer) }] }],
			},
		});
	const told = (now: KubeObject, before: KubeObject): string[] =>
		validateUpdate('networking.k8s.io', 'v1', 'NetworkPolicy', now, before, true).map(({ field }) => field);
	t.deepEqual(told(peers('v', '-'), peers('-', 'v')), []);
	t.deepEqual(told(peers('v', '-'), peers('v', '-')), [
		'spec.ingress[0].from[0].podSelector.matchExpressions[0].values[0]',
		'spec.egress[0].to[0].namespaceSelector.matchExpressions[0].values[0]',
	]);
});
