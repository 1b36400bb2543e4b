/** Changes of pods that need what this node does not say that it can. */
import test from 'ava';
import type { PodSpec } from '../../api/gen/types.ts';
import { c, playing } from '../../test/fakes/playing.ts';
import { missingFeatures } from './declared-features.ts';

const init = (cpu: string, more: object = {}) => ({ name: 'i', image: 'i', resources: { requests: { cpu } }, ...more });
for (const [name, before, after, want] of [
	['nothing', { initContainers: [init('1')] }, { initContainers: [init('1')] }, []],
	['resources of the pod itself', {}, { resources: { requests: { cpu: '1' } } }, []],
	[
		'of a sidecar',
		{ initContainers: [init('1', { restartPolicy: 'Always' })] },
		{ initContainers: [init('2', { restartPolicy: 'Always' })] },
		[],
	],
	['of an init container', { initContainers: [init('1')] }, { initContainers: [init('2')] }, ['InPlacePodVerticalScalingInitContainers']],
] as const)
	test(`missingFeatures(): ${name}`, (t) => {
		const pod = (spec: object) => ({ metadata: {}, spec: { containers: [], ...spec } as PodSpec });
		t.deepEqual(missingFeatures(pod(before), pod(after)), [...want]);
	});

test('a pod that is changed so is told of, once a change', async (t) => {
	const { node } = await playing();
	await using _ = node;
	await node.create('p', { containers: [c()], initContainers: [init('1')] });
	await node.advance(1000);
	await node.update('p', ({ spec, metadata }) => {
		metadata.generation = 2;
		const [first] = spec?.initContainers ?? [];
		if (first !== undefined) first.resources = { requests: { cpu: '2' } };
	});
	await node.advance(5000);
	const told = node.events('p').filter((e) => e.startsWith('FailedNode'));
	const message = 'Pod requires node features that are not available: InPlacePodVerticalScalingInitContainers';
	t.deepEqual(told, [`FailedNodeDeclaredFeaturesCheck: ${message}`]);
});
