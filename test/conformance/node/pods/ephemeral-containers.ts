/** [sig-node] Ephemeral Containers: put into a pod that runs. */
import { CoreV1Api, type V1EphemeralContainer, type V1Pod } from '@kubernetes/client-node';
import { patch } from '../../patch.ts';
import { conformance, type World } from '../../suite.ts';
import { running, says, STAYS, until } from '../pod.ts';

const debugging = (world: World, name: string, more: Partial<V1EphemeralContainer> = {}): V1EphemeralContainer => ({
	name,
	image: world.image,
	command: ['sh', '-c', `echo polo; ${STAYS}`],
	stdin: true,
	tty: true,
	...more,
});

const runs = (name: string) => (pod: V1Pod) =>
	pod.status?.ephemeralContainerStatuses?.find((status) => status.name === name)?.state?.running !== undefined;

conformance(
	'[sig-node] Ephemeral Containers [NodeConformance] will start an ephemeral container in an existing pod [Conformance]',
	async (world) => {
		const { t, namespace } = world;
		await running(world, { name: 'main', script: STAYS });
		const ephemeralContainers = [debugging(world, 'debugger')];
		const path = `/api/v1/namespaces/${namespace}/pods/main/ephemeralcontainers`;
		const answer = await patch(world, path, { spec: { ephemeralContainers } });
		t.is(answer.code, 200, answer.text);
		const pod = await until(world, 'main', 'has a debugger that runs', runs('debugger'));
		await says(world, 'main', /polo/, 'debugger');
		t.is(pod.status?.containerStatuses?.[0]?.restartCount, 0);
	},
);

conformance(
	'[sig-node] Ephemeral Containers [NodeConformance] should update the ephemeral containers in an existing pod [Conformance]',
	async (world) => {
		const { t, api, namespace } = world;
		const core = api(CoreV1Api);
		const add = async (container: V1EphemeralContainer): Promise<void> => {
			const pod = await core.readNamespacedPodEphemeralcontainers({ namespace, name: 'main' });
			const all = [...(pod.spec?.ephemeralContainers ?? []), container];
			const body = { ...pod, spec: { ...pod.spec, ephemeralContainers: all } } as V1Pod;
			const answered = await core.replaceNamespacedPodEphemeralcontainers({ namespace, name: 'main', body });
			t.deepEqual(
				answered.spec?.ephemeralContainers?.map(({ name }) => name),
				all.map(({ name }) => name),
			);
		};
		await running(world, { name: 'main', script: STAYS });
		await add(debugging(world, 'first'));
		await until(world, 'main', 'has a first debugger that runs', runs('first'));
		await add(debugging(world, 'second', { targetContainerName: 'c' }));
		await until(world, 'main', 'has a second debugger that runs', runs('second'));
		await says(world, 'main', /polo/, 'second');
		t.true(runs('first')(await core.readNamespacedPod({ namespace, name: 'main' })));
	},
);
