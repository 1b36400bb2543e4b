import test from 'ava';
import { decodeObject } from './codec/codec.ts';
import { internalForm } from './internal/form.ts';
import type { KubeObject } from './resource.ts';
import { asSent, copyAsSent, forgetEmpty, holdsSentEmpty } from './sent-empty.ts';
import { validateCreate } from './validation/validation.ts';

const decoded = (group: string, version: string, kind: string, object: object): KubeObject =>
	decodeObject(structuredClone(object), { group, version, kind }, { strictness: 'Strict', warn: () => {} }) as unknown as KubeObject;

const metadata = { name: 'a', namespace: 'n' };
const container = { name: 'c', image: 'i' };
const pod = (spec: object): object => ({ metadata, spec: { containers: [container], ...spec } });
const debugger_ = (fields: object): object => pod({ ephemeralContainers: [{ name: 'e', image: 'i', ...fields }] });
const NOT_EPHEMERAL = 'Forbidden: cannot be set for an Ephemeral Container';
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
const version = { name: 'v1', served: true, storage: true };
const names = { plural: 'ws', singular: 'w', kind: 'W', listKind: 'WList' };
const definition = (schema: object): object => ({
	metadata: { name: 'ws.x.io' },
	spec: {
		group: 'x.io',
		scope: 'Namespaced',
		names,
		versions: [{ ...version, schema: { openAPIV3Schema: { type: 'object', ...schema } } }],
	},
});
const slice = (spec: object): object => ({
	metadata: { name: 's' },
	spec: { driver: 'd.io', pool: { name: 'p', resourceSliceCount: 1 }, ...spec },
});

for (const [rule, group, kind, object, want] of [
	[
		'pods claim nothing as a whole',
		'',
		'Pod',
		pod({ resources: { claims: [] } }),
		'spec.resources.claims: Forbidden: claims may not be set',
	],
	['no ports of nothing', '', 'Pod', debugger_({ ports: [] }), `spec.ephemeralContainers[0].ports: ${NOT_EPHEMERAL}`],
	['no limits', '', 'Pod', debugger_({ resources: { limits: {} } }), `spec.ephemeralContainers[0].resources: ${NOT_EPHEMERAL}`],
	[
		'policies that are none have no defaults',
		'autoscaling',
		'HorizontalPodAutoscaler',
		{ metadata, spec: { scaleTargetRef, maxReplicas: 1, behavior: { scaleDown: { policies: [] } } } },
		'spec.behavior.scaleDown.policies: Required value',
	],
	[
		'dependencies on nothing',
		'apiextensions.k8s.io',
		'CustomResourceDefinition',
		definition({ dependencies: {} }),
		'dependencies is not supported',
	],
	[
		'counters beside devices',
		'resource.k8s.io',
		'ResourceSlice',
		slice({ devices: [], sharedCounters: [] }),
		'only one of `sharedCounters` or',
	],
	[
		'shown as they were sent',
		'resource.k8s.io',
		'ResourceSlice',
		slice({ nodeSelector: { nodeSelectorTerms: [] } }),
		'Invalid value: []: must have exactly one node selector term',
	],
	[
		'a volume’s capacity',
		'',
		'PersistentVolume',
		{ metadata: { name: 'a' }, spec: { capacity: {} } },
		'Unsupported value: {}: supported values',
	],
] as const)
	test(`what is sent empty is looked at: ${rule}`, (t) => {
		const served = group === '' || group.includes('.') ? 'v1' : 'v2';
		const errors = validateCreate(group, served, kind, decoded(group, served, kind, object), kind === 'Pod' || kind.startsWith('Hor'));
		const texts = errors.map(({ field, message }) => `${field}: ${message}`);
		t.true(
			texts.some((text) => text.includes(want)),
			texts.join('\n'),
		);
	});

test('what is sent empty is not written, nor seen by those who do not ask', (t) => {
	const { spec } = decoded('', 'v1', 'Pod', pod({ tolerations: [], nodeSelector: {} })) as unknown as { readonly spec: object };
	t.false(Object.keys(spec).includes('tolerations'));
	t.false(JSON.stringify(spec).includes('nodeSelector'));
	t.deepEqual([asSent(spec, 'tolerations'), asSent(spec, 'nodeSelector'), asSent(spec, 'volumes')], [[], {}, undefined]);
});

test('errors show what was sent empty; copies keep it, and lose it when told', (t) => {
	const { spec } = decoded('', 'v1', 'Pod', pod({ tolerations: [], volumes: null })) as unknown as { readonly spec: object };
	const shown = (value: object): unknown => {
		const { Tolerations, Volumes } = internalForm('core/v1.PodSpec', value) as Readonly<Record<string, unknown>>;
		return { Tolerations, Volumes };
	};
	const copy = copyAsSent(spec);
	t.deepEqual(shown(copy), { Tolerations: [], Volumes: null });
	forgetEmpty(copy, ['tolerations']);
	t.deepEqual(shown(copy), { Tolerations: null, Volumes: null });
	t.deepEqual(shown(spec), { Tolerations: [], Volumes: null });
});

test('a default in place of what was sent empty is no longer empty', (t) => {
	const policy = decoded('networking.k8s.io', 'v1', 'NetworkPolicy', { metadata, spec: { podSelector: {}, policyTypes: [] } });
	t.false(holdsSentEmpty(policy));
	t.true(holdsSentEmpty(decoded('networking.k8s.io', 'v1', 'NetworkPolicy', { metadata, spec: { podSelector: {}, ingress: [] } })));
});
