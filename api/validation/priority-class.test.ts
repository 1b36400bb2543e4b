import test from 'ava';
import type { KubeObject } from '../resource.ts';
import { validateCreate } from './validation.ts';

const RESERVED = "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error:";

for (const [name, rule, object, want] of [
	['system-node-critical', 'its own value', { value: 2_000_001_000 }, []],
	['system-node-critical', 'another value', { value: 5 }, [`${RESERVED} value of system-node-critical PriorityClass must be 2000001000`]],
	[
		'system-cluster-critical',
		'as a default',
		{ value: 2_000_000_000, globalDefault: true },
		[`${RESERVED} globalDefault of system-cluster-critical PriorityClass must be false`],
	],
	['system-mine', 'no class of the system', { value: 5 }, [`${RESERVED} system-mine is not a known system priority class`]],
	['mine', 'too much', { value: 1_000_000_001 }, ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000']],
] as const)
	test(`priority class ${name}: ${rule}`, (t) => {
		const made = { metadata: { name }, preemptionPolicy: 'Never', ...object };
		const errors = validateCreate('scheduling.k8s.io', 'v1', 'PriorityClass', made as unknown as KubeObject, false);
		t.deepEqual(
			errors.map(({ field, message }) => `${field}: ${message}`),
			want,
		);
	});
