import test from 'ava';
import type { Context } from '../context.ts';
import type { Engine, EngineRequest } from '../engine/engine.ts';
import { ContainerConfig, ContainerState, PodSandboxConfig, PodSandboxState } from '../proto.ts';
import { RuntimeState } from '../state/state.ts';
import { listContainers } from './container-list.ts';
import { listPodSandbox } from './sandbox-list.ts';

const { signal } = new AbortController();
const empty = Buffer.alloc(0);
const any = { id: '', state: undefined, podSandboxId: '', labelSelector: {} };

/** Two pods, each of a sandbox that runs and a container that has ended; and whom the engine was asked about. */
function twoPods(): { readonly context: Context; readonly asked: string[] } {
	const asked: string[] = [];
	const call = async ({ path }: EngineRequest): Promise<unknown> => {
		const id = path.split('/')[2] ?? '';
		asked.push(id);
		const Status = id.endsWith('-pod') ? 'running' : 'exited';
		return { State: { Status, StartedAt: '', FinishedAt: '', Error: '', ExitCode: 0, OOMKilled: false, Pid: 1 } };
	};
	const state = new RuntimeState({ call } as unknown as Engine);
	for (const [at, of] of ['a', 'b'].entries()) {
		const metadata = { name: of, uid: of, namespace: 'n', attempt: 0 };
		const labels = { of };
		const [name, createdAtMs] = [`${of}-name`, at];
		const config = { ...PodSandboxConfig.decode(empty), metadata, labels };
		state.addSandbox({ id: `${of}-pod`, name, config, metadata, runtimeHandler: '', createdAtMs, address: undefined });
		const app = { ...ContainerConfig.decode(empty), labels };
		const made = { imageId: 'i', imageRef: 'i', logPath: '', user: undefined, createdAtMs };
		state.addContainer({ id: `${of}-app`, name, sandboxId: `${of}-pod`, config: app, ...made });
	}
	return { context: { state } as unknown as Context, asked };
}

for (const [name, filter, sandboxes, containers] of [
	['all, newest first', any, ['b-pod', 'a-pod'], ['b-app', 'a-app']],
	['by label', { ...any, labelSelector: { of: 'a' } }, ['a-pod'], ['a-app']],
	['by label that none has', { ...any, labelSelector: { of: 'c' } }, [], []],
	['by the start of an id', { ...any, id: 'b' }, ['b-pod'], ['b-app']],
] as const)
	test(`lists ${name}: the engine is asked about these alone, for another may keep it waiting`, async (t) => {
		const pods = twoPods();
		t.deepEqual(
			(await listPodSandbox(pods.context, { filter }, signal)).items.map(({ id }) => id),
			[...sandboxes],
		);
		t.deepEqual(pods.asked.toSorted(), [...sandboxes].toSorted());
		const apps = twoPods();
		t.deepEqual(
			(await listContainers(apps.context, { filter }, signal)).containers.map(({ id }) => id),
			[...containers],
		);
		t.deepEqual(apps.asked.toSorted(), [...containers].toSorted());
	});

test('lists by state show what the engine says now', async (t) => {
	const { context } = twoPods();
	for (const [state, sandboxes] of [
		[PodSandboxState.SANDBOX_READY, 2],
		[PodSandboxState.SANDBOX_NOTREADY, 0],
	] as const)
		t.is((await listPodSandbox(context, { filter: { ...any, state: { state } } }, signal)).items.length, sandboxes);
	for (const [state, containers] of [
		[ContainerState.CONTAINER_RUNNING, 0],
		[ContainerState.CONTAINER_EXITED, 2],
	] as const)
		t.is((await listContainers(context, { filter: { ...any, state: { state } } }, signal)).containers.length, containers);
});

test('containers are listed by their sandbox', async (t) => {
	const { context, asked } = twoPods();
	const { containers } = await listContainers(context, { filter: { ...any, podSandboxId: 'b-pod' } }, signal);
	t.deepEqual([containers.map(({ id }) => id), asked], [['b-app'], ['b-app']]);
});
