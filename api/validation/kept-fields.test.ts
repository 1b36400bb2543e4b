/** Fields of features that are off, which objects may have from a server where they were on. */
import test from 'ava';
import type { KubeObject } from '../resource.ts';
import { validateUpdate } from './validation.ts';

const shown = (group: string, kind: string, object: object): string[] => {
	const whole = {
		metadata: { name: 'a', namespace: kind === 'Lease' ? 'n' : undefined, resourceVersion: '1' },
		...object,
	} as unknown as KubeObject;
	return validateUpdate(group, 'v1', kind, whole, whole, kind === 'Lease').map(
		({ field, message }) => `${field}: ${message.replace(/ \(e\.g.*| must consist of.*/, '')}`,
	);
};

for (const [spec, want] of [
	[{ strategy: 'OldestEmulationVersion', preferredHolder: 'x' }, []],
	[{ strategy: 'a/b' }, []],
	[{ strategy: 'x' }, ['spec.strategy.strategy: Unsupported value: "x": supported values: "OldestEmulationVersion"']],
	[{ strategy: '/b' }, ['spec.strategy.strategy: Invalid value: "/b": prefix part must be non-empty']],
	[{ preferredHolder: 'x' }, ['spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined']],
] as const)
	test(`a Lease with ${JSON.stringify(spec)}`, (t) => t.deepEqual(shown('coordination.k8s.io', 'Lease', { spec }), [...want]));

const map = { namespace: 'n', name: 'a', kubeletConfigKey: 'k' };
const exact = { ...map, uid: 'u', resourceVersion: '1' };
const AT = 'spec.configSource.configMap';
for (const [node, want] of [
	[{ spec: { configSource: { configMap: map } }, status: { config: { active: { configMap: exact } } } }, []],
	[
		{ spec: { configSource: {} } },
		['spec.configSource: Invalid value: {"ConfigMap":null}: exactly one reference subfield must be non-nil'],
	],
	[
		{ spec: { configSource: { configMap: exact } } },
		[`${AT}.uid: Forbidden: uid must not be set in spec`, `${AT}.resourceVersion: Forbidden: resourceVersion must not be set in spec`],
	],
	[
		{ spec: { configSource: { configMap: { namespace: '', name: 'A', kubeletConfigKey: '..' } } } },
		[
			`${AT}.namespace: Required value`,
			`${AT}.name: Invalid value: "A": a lowercase RFC 1123 subdomain`,
			`${AT}.kubeletConfigKey: Invalid value: "..": must not be '..'`,
		],
	],
	[
		{ status: { config: { assigned: { configMap: map } } } },
		['status.config.assigned.configMap.uid: Required value', 'status.config.assigned.configMap.resourceVersion: Required value'],
	],
] as const)
	test(`a node with ${JSON.stringify(node)}`, (t) => {
		t.deepEqual([...new Set(shown('', 'Node', node))], [...want]);
	});
