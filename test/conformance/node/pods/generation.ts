/** [sig-node] Pods Extended (pod generation): what counts as a change, and that the node says which one it has seen. */
import { CoreV1Api, type V1Pod } from '@kubernetes/client-node';
import { patch } from '../../patch.ts';
import { gone } from '../../refusals.ts';
import { conformance, type World } from '../../suite.ts';
import { eventually } from '../../../tools/eventually.ts';
import { BOUND_MS, containerOf, create, nameOf, read, remove, running, STAYS, until } from '../pod.ts';

const pathOf = ({ namespace }: World, name: string): string => `/api/v1/namespaces/${namespace}/pods/${name}`;

async function changed({ t, ...world }: World, path: string, change: object): Promise<number | undefined> {
	const answer = await patch({ t, ...world }, path, change);
	t.is(answer.code, 200, answer.text);
	return answer.json<V1Pod>().metadata?.generation;
}

conformance(
	'[sig-node] Pods Extended (pod generation) Pod Generation pod generation should start at 1 and increment per update [MinimumKubeletVersion:1.34] [Conformance]',
	async (world) => {
		const { t, image } = world;
		const resources = { requests: { cpu: '10m', memory: '16Mi' }, limits: { cpu: '10m', memory: '16Mi' } };
		const pod = await running(world, { name: 'counted', script: STAYS, container: { resources } });
		t.is(pod.metadata?.generation, 1);
		const path = pathOf(world, 'counted');
		const c = { name: 'c', resources: { requests: { cpu: '20m' }, limits: { cpu: '20m' } } };
		const steps: readonly [string, string, object, number][] = [
			['labels are none', '', { metadata: { labels: { a: 'b' } } }, 1],
			['nor are annotations', '', { metadata: { annotations: { a: 'b' } } }, 1],
			['a deadline', '', { spec: { activeDeadlineSeconds: 5000 } }, 2],
			[
				'a toleration',
				'',
				{ spec: { tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }, ...(pod.spec?.tolerations ?? [])] } },
				3,
			],
			['the same again is none', '', { spec: { activeDeadlineSeconds: 5000 } }, 3],
			['a debugger', '/ephemeralcontainers', { spec: { ephemeralContainers: [{ name: 'd', image, command: ['true'] }] } }, 4],
			['amounts', '/resize', { spec: { containers: [c] } }, 5],
		];
		for (const [what, of, change, generation] of steps) t.is(await changed(world, `${path}${of}`, change), generation, what);
		await until(world, 'counted', 'is seen in its fifth generation', ({ status }) => status?.observedGeneration === 5);
	},
);

conformance(
	'[sig-node] Pods Extended (pod generation) Pod Generation custom-set generation on new pods and graceful delete [Conformance]',
	async (world) => {
		const { t, api, namespace } = world;
		const spec = { terminationGracePeriodSeconds: 30, containers: [containerOf(world, 'trap "" TERM; sleep 3600')] };
		const pod = await create(world, { name: 'own', spec, metadata: { generation: 100 } });
		t.is(pod.metadata?.generation, 1);
		await until(world, 'own', 'runs', ({ status }) => status?.phase === 'Running');
		await api(CoreV1Api).deleteNamespacedPod({ namespace, name: 'own' });
		const leaving = await read(world, 'own');
		t.truthy(leaving.metadata?.deletionTimestamp);
		t.is(leaving.metadata?.generation, 2);
		await remove(world, 'own', 0);
		await eventually('it is gone', () => gone(read(world, 'own')), BOUND_MS);
	},
);

conformance(
	'[sig-node] Pods Extended (pod generation) Pod Generation issue 500 podspec updates and verify generation and observedGeneration eventually converge [MinimumKubeletVersion:1.34] [Conformance]',
	async (world) => {
		const name = nameOf(await running(world, { script: STAYS }));
		const path = pathOf(world, name);
		let generation: number | undefined;
		for (let i = 1; i <= 500; i++) generation = await changed(world, path, { spec: { activeDeadlineSeconds: 100_000 - i } });
		world.t.is(generation, 501);
		const pod = await until(world, name, 'is seen in its last generation', ({ status }) => status?.observedGeneration === 501);
		world.t.is(pod.metadata?.generation, 501);
	},
);
