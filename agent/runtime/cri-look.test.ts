/** What is asked of runtimes that tell of containers with their sandbox, and of those that do not. */
import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { AppError } from '../../base/errors.ts';
import { Container, ContainerState, ContainerStatus, PodSandbox, PodSandboxStatus } from '../../wire/gen/cri.ts';
import { POD_UID } from './cri-config.ts';
import { lookAtPods } from './cri-look.ts';

type Client = Parameters<typeof lookAtPods>[0];

const empty = Buffer.alloc(0);
const { CONTAINER_EXITED, CONTAINER_RUNNING } = ContainerState;
const labels = { [POD_UID]: 'u' };
const metadata = { name: 'c', attempt: 0 };
const message = (state: ContainerState, of: 'sandbox' | 'container'): string =>
	`${state === CONTAINER_EXITED ? 'ended' : 'runs'}, says its ${of}`;

/** A pod of one sandbox with a container: as the list has it, as its sandbox is told with (undefined: it is not), as it is by itself (undefined: gone). */
function runtime([inList, withSandbox, alone]: readonly [ContainerState, ContainerState | undefined, ContainerState | undefined]) {
	let asked = 0;
	const status = (state: ContainerState, of: 'sandbox' | 'container'): ContainerStatus => ({
		...{ ...ContainerStatus.decode(empty), id: 'c', metadata, labels, state, message: message(state, of) },
	});
	const sandbox = { id: 's', metadata: { name: 'p', namespace: 'n', uid: 'u', attempt: 0 } };
	const client: Client = {
		listPodSandbox: async () => ({ items: [{ ...PodSandbox.decode(empty), ...sandbox }] }),
		listContainers: async () => ({
			containers: [{ ...Container.decode(empty), id: 'c', podSandboxId: 's', metadata, labels, state: inList }],
		}),
		podSandboxStatus: async () => ({
			status: { ...PodSandboxStatus.decode(empty), ...sandbox },
			info: {},
			containersStatuses: withSandbox === undefined ? [] : [status(withSandbox, 'sandbox')],
			timestamp: 1n,
		}),
		containerStatus: async () => {
			asked++;
			if (alone === undefined) throw new AppError('NotFound', 'gone');
			return { status: status(alone, 'container'), info: {} };
		},
	};
	return { client, asked: () => asked };
}

for (const [name, states, want, asked] of [
	['runs, as its sandbox says', [CONTAINER_RUNNING, CONTAINER_RUNNING, CONTAINER_RUNNING], 'runs, says its sandbox', 0],
	['runs, of which its sandbox says nothing', [CONTAINER_RUNNING, undefined, CONTAINER_RUNNING], 'runs, says its container', 1],
	['has ended', [CONTAINER_EXITED, CONTAINER_EXITED, CONTAINER_EXITED], 'ended, says its container', 1],
	['ended after it was listed', [CONTAINER_RUNNING, CONTAINER_EXITED, CONTAINER_EXITED], 'ended, says its container', 1],
	['went after it was listed', [CONTAINER_RUNNING, undefined, undefined], undefined, 1],
] as const)
	test(`a container that ${name}`, async (t) => {
		const { client, asked: calls } = runtime(states);
		const [pod] = await lookAtPods(client, labels, { signal: new AbortController().signal, timeoutMs: 1000 });
		t.like(pod, { uid: 'u', name: 'p', namespace: 'n' });
		t.deepEqual(
			pod?.sandboxes.map(({ id }) => id),
			['s'],
		);
		t.is(pod?.containers[0]?.message, want);
		t.is(calls(), asked);
	});

test('a status that does not come fails the look, and nothing else, also where no container waits for it', async (t) => {
	const { client } = runtime([CONTAINER_EXITED, undefined, CONTAINER_EXITED]);
	const failing = { ...client, podSandboxStatus: () => Promise.reject(new AppError('Unavailable', 'away')) };
	const unhandled: unknown[] = [];
	const told = (reason: unknown): void => void unhandled.push(reason);
	process.on('unhandledRejection', told);
	t.teardown(() => process.off('unhandledRejection', told));
	await t.throwsAsync(lookAtPods(failing, labels, { signal: new AbortController().signal, timeoutMs: 1000 }), { code: 'Unavailable' });
	await setImmediate();
	t.deepEqual(unhandled, []);
});
