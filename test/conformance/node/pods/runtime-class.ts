/** [sig-node] RuntimeClass: pods that ask for one. */
import { NodeV1Api, type V1RuntimeClass } from '@kubernetes/client-node';
import { refusal } from '../../refusals.ts';
import { conformance, type World } from '../../suite.ts';
import { create, nameOf, running, STAYS } from '../pod.ts';

/** The handler that the engine of this node has, which is what "runc" names everywhere. */
async function runtimeClass(world: World, more: Partial<V1RuntimeClass> = {}): Promise<string> {
	const name = `class-${world.namespace}`;
	await world.api(NodeV1Api).createRuntimeClass({ body: { metadata: { name }, handler: 'runc', ...more } });
	world.t.teardown(() =>
		world
			.api(NodeV1Api)
			.deleteRuntimeClass({ name })
			.catch(() => undefined),
	);
	return name;
}

conformance(
	'[sig-node] RuntimeClass should reject a Pod requesting a non-existent RuntimeClass [NodeConformance] [Conformance]',
	async (world) => {
		const { code, reason, message } = await refusal(create(world, { name: 'none', spec: { runtimeClassName: 'nonexistent' } }));
		world.t.deepEqual([code, reason], [403, 'Forbidden']);
		world.t.regex(message, /RuntimeClass "nonexistent" not found/);
	},
);

conformance(
	'[sig-node] RuntimeClass should reject a Pod requesting a deleted RuntimeClass [NodeConformance] [Conformance]',
	async (world) => {
		const runtimeClassName = await runtimeClass(world);
		await world.api(NodeV1Api).deleteRuntimeClass({ name: runtimeClassName });
		const { code, message } = await refusal(create(world, { name: 'none', spec: { runtimeClassName } }));
		world.t.is(code, 403);
		world.t.true(message.includes(`RuntimeClass "${runtimeClassName}" not found`), message);
	},
);

conformance(
	'[sig-node] RuntimeClass should schedule a Pod requesting a RuntimeClass without PodOverhead [NodeConformance] [Conformance]',
	async (world) => {
		const runtimeClassName = await runtimeClass(world);
		const pod = await running(world, { script: STAYS, spec: { runtimeClassName } });
		world.t.deepEqual(pod.spec?.overhead ?? {}, {});
		world.t.truthy(pod.spec?.nodeName);
	},
);

conformance(
	'[sig-node] RuntimeClass should schedule a Pod requesting a RuntimeClass and initialize its Overhead [NodeConformance] [Conformance]',
	async (world) => {
		const podFixed = { cpu: '10m', memory: '10Mi' };
		const runtimeClassName = await runtimeClass(world, { overhead: { podFixed } });
		const pod = await running(world, { script: STAYS, spec: { runtimeClassName } });
		world.t.deepEqual(pod.spec?.overhead, podFixed);
		const other = await refusal(create(world, { name: 'own', spec: { runtimeClassName, overhead: { cpu: '1' } } }));
		world.t.is(other.code, 403, `one that names another overhead than its class is refused: ${nameOf(pod)}`);
	},
);
