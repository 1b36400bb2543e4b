/** [sig-node] InitContainer: before the others, in order, and not without success. */
import type { V1Pod } from '@kubernetes/client-node';
import { conformance, type World } from '../../suite.ts';
import { containerOf, create, isOver, nameOf, STAYS, until, type Wanted } from '../pod.ts';

function withInit(world: World, restartPolicy: string, inits: readonly string[], script: string): Wanted {
	const initContainers = inits.map((text, i) => containerOf(world, text, { name: `init${i + 1}` }));
	return { script, spec: { restartPolicy, initContainers } };
}

const conditionOf = ({ status }: V1Pod, type: string) => status?.conditions?.find((c) => c.type === type);

conformance(
	'[sig-node] InitContainer [NodeConformance] should invoke init containers on a RestartNever pod [Conformance]',
	async (world) => {
		const { t } = world;
		const name = nameOf(await create(world, withInit(world, 'Never', ['true', 'true'], 'true')));
		const { status, ...pod } = await until(world, name, 'is over', isOver);
		t.is(status?.phase, 'Succeeded');
		t.is(conditionOf({ status, ...pod } as V1Pod, 'Initialized')?.status, 'True');
		const [one, two] = status?.initContainerStatuses ?? [];
		for (const init of [one, two]) {
			t.true(init?.ready);
			t.is(init?.state?.terminated?.exitCode, 0);
		}
		t.true(Number(one?.state?.terminated?.finishedAt) <= Number(two?.state?.terminated?.startedAt), 'one after the other');
		t.is(status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 0);
	},
);

conformance(
	'[sig-node] InitContainer [NodeConformance] should invoke init containers on a RestartAlways pod [Conformance]',
	async (world) => {
		const { t } = world;
		const name = nameOf(await create(world, withInit(world, 'Always', ['true', 'true'], STAYS)));
		const { status } = await until(world, name, 'runs', ({ status: s }) => s?.containerStatuses?.[0]?.state?.running !== undefined);
		t.is(status?.conditions?.find((c) => c.type === 'Initialized')?.status, 'True');
		t.is(status?.initContainerStatuses?.length, 2);
		for (const init of status?.initContainerStatuses ?? []) {
			t.true(init.ready);
			t.is(init.state?.terminated?.exitCode, 0);
		}
	},
);

conformance(
	'[sig-node] InitContainer [NodeConformance] should not start app containers if init containers fail on a RestartAlways pod [Conformance]',
	async (world) => {
		const { t } = world;
		const name = nameOf(await create(world, withInit(world, 'Always', ['false', 'true'], STAYS)));
		const failing = (count: number) => (pod: V1Pod) => (pod.status?.initContainerStatuses?.[0]?.restartCount ?? 0) >= count;
		const { status } = await until(world, name, 'tried its first init container again', failing(1));
		t.is(status?.phase, 'Pending');
		t.is(status?.initContainerStatuses?.[1]?.restartCount, 0);
		t.deepEqual(status?.initContainerStatuses?.[1]?.state?.waiting?.reason, 'PodInitializing');
		const initialized = status?.conditions?.find((c) => c.type === 'Initialized');
		t.deepEqual(
			[initialized?.status, initialized?.reason, initialized?.message],
			['False', 'ContainersNotInitialized', 'containers with incomplete status: [init1 init2]'],
		);
		t.is(status?.containerStatuses?.[0]?.state?.waiting?.reason, 'PodInitializing');
		t.is(status?.containerStatuses?.[0]?.started, false);
	},
);

conformance(
	'[sig-node] InitContainer [NodeConformance] should not start app containers and fail the pod if init containers fail on a RestartNever pod [Conformance]',
	async (world) => {
		const { t } = world;
		const name = nameOf(await create(world, withInit(world, 'Never', ['true', 'false'], STAYS)));
		const { status } = await until(world, name, 'is over', isOver);
		t.is(status?.phase, 'Failed');
		const codes = status?.initContainerStatuses?.map(({ state }) => state?.terminated?.exitCode);
		t.deepEqual(codes, [0, 1]);
		t.is(status?.conditions?.find((c) => c.type === 'Initialized')?.message, 'containers with incomplete status: [init2]');
		t.is(status?.containerStatuses?.[0]?.state?.running, undefined);
		t.is(status?.containerStatuses?.[0]?.restartCount, 0);
	},
);
