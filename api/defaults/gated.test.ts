import test from 'ava';
import { dropGated } from './gated.ts';

const kind = (name: string): { group: string; version: string; kind: string } => {
	const [group = '', version = '', kind = ''] = name.split('/');
	return { group, version, kind };
};
const rolling = (maxUnavailable?: number): object => ({ spec: { updateStrategy: { rollingUpdate: { partition: 1, maxUnavailable } } } });
const pod = (...signals: readonly (string | undefined)[]): object => ({
	spec: { containers: signals.map((stopSignal) => ({ name: 'c', ...(stopSignal === undefined ? {} : { lifecycle: { stopSignal } }) })) },
});
const slice = (attributes: object): object => ({ spec: { devices: [{ name: 'd', attributes: { a: attributes } }] } });

for (const [rule, name, old, object, want] of [
	['goes on creation', 'apps/v1/StatefulSet', undefined, rolling(2), rolling()],
	['goes where the object has not had it', 'apps/v1/StatefulSet', rolling(), rolling(2), rolling()],
	['stays where the object has it', 'apps/v1/StatefulSet', rolling(1), rolling(2), rolling(2)],
	[
		'goes where another one is there',
		'coordination.k8s.io/v1/Lease',
		{ spec: { strategy: 'OldestEmulationVersion' } },
		{ spec: { strategy: 'a/b', preferredHolder: 'x' } },
		{ spec: { strategy: 'a/b' } },
	],
	[
		'stays in nodes',
		'/v1/Node',
		{ spec: { configSource: { configMap: {} } } },
		{ spec: { configSource: { configMap: { name: 'a' } } } },
		{ spec: { configSource: { configMap: { name: 'a' } } } },
	],
	[
		'stays in drivers',
		'storage.k8s.io/v1/CSIDriver',
		{ spec: { preventPodSchedulingIfMissing: false } },
		{ spec: { preventPodSchedulingIfMissing: true } },
		{ spec: { preventPodSchedulingIfMissing: true } },
	],
	['stays wherever the object has it', '/v1/Pod', pod('SIGINT', undefined), pod('SIGINT', 'SIGTERM'), pod('SIGINT', 'SIGTERM')],
	['goes with what is empty then', '/v1/Pod', pod(undefined), pod('SIGINT'), pod(undefined)],
	[
		'stays where one of its feature is there',
		'resource.k8s.io/v1/ResourceSlice',
		slice({ ints: [1] }),
		slice({ bools: [true] }),
		slice({ bools: [true] }),
	],
	['goes where none of its feature is there', 'resource.k8s.io/v1/ResourceSlice', slice({ int: 1 }), slice({ bools: [true] }), slice({})],
] as const)
	test(`a field of a feature that is off ${rule}: ${name}`, (t) => {
		const draft = structuredClone(object);
		dropGated(kind(name), draft, old);
		t.deepEqual(JSON.parse(JSON.stringify(draft)), JSON.parse(JSON.stringify(want)));
	});
