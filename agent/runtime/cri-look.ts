/** What a CRI runtime says of pods: its lists, and the status of each sandbox and container in them. */
import { ignore } from '../../base/errors.ts';
import { ContainerState, type ContainerStatus, type RuntimeServiceService } from '../../wire/gen/cri.ts';
import type { GrpcClient } from '../../wire/grpc/client.ts';
import { toContainer, toSandbox } from './cri-convert.ts';
import { byPod, podNameIn } from './cri-pods.ts';
import type { PodRuntime } from './runtime.ts';

type Client = Pick<GrpcClient<typeof RuntimeServiceService>, 'listPodSandbox' | 'listContainers' | 'podSandboxStatus' | 'containerStatus'>;
type Call = { readonly signal: AbortSignal; readonly timeoutMs: number };

/** Both lists of what has the labels. */
export async function listed(runtime: Pick<Client, 'listPodSandbox' | 'listContainers'>, labels: Record<string, string>, call: Call) {
	const filter = { id: '', state: undefined, podSandboxId: '', labelSelector: labels };
	const [{ items: sandboxes }, { containers }] = await Promise.all([
		runtime.listPodSandbox({ filter }, call),
		runtime.listContainers({ filter }, call),
	]);
	return { sandboxes, containers };
}

/**
 * Pods with the labels, each with all that there is of it, newest first. Runtimes tell with a sandbox of its containers, too (upstream asks them for no more
 * where they have events): only what they leave out is asked for, and what has ended, of which they may have more to say once its log is whole.
 */
export async function lookAtPods(runtime: Client, labels: Record<string, string>, call: Call): Promise<readonly PodRuntime[]> {
	const { sandboxes, containers } = await listed(runtime, labels, call);
	const statusOf = async (containerId: string): Promise<ContainerStatus | undefined> =>
		(await runtime.containerStatus({ containerId, verbose: false }, call).catch(ignore('NotFound')))?.status;
	const ended = (state: ContainerState): boolean => state === ContainerState.CONTAINER_EXITED;
	const answers = Promise.all(
		sandboxes.map((s) => runtime.podSandboxStatus({ podSandboxId: s.id, verbose: false }, call).catch(ignore('NotFound'))),
	);
	const told = answers.then(
		(all) => new Map(all.flatMap((answer) => answer?.containersStatuses ?? []).map((status) => [status.id, status])),
	);
	told.catch(() => {}); // the look fails with the answers, also where no container waits for what they tell
	const shown = async (containerId: string): Promise<ContainerStatus | undefined> => {
		const status = (await told).get(containerId);
		return status === undefined || ended(status.state) ? statusOf(containerId) : status;
	};
	const [sandboxStates, containerStates] = await Promise.all([
		answers,
		Promise.all(containers.map((c) => (ended(c.state) ? statusOf(c.id) : shown(c.id)))),
	]);
	const pods = byPod(
		sandboxStates.flatMap((answer) => (answer?.status === undefined ? [] : [[answer.status.metadata, toSandbox(answer.status)] as const])),
		containers.flatMap((c, i) => {
			const status = containerStates[i];
			return status === undefined ? [] : [[podNameIn(c.labels), toContainer(c, status)] as const];
		}),
	);
	for (const pod of pods) {
		pod.sandboxes.sort((a, b) => b.createdAt - a.createdAt || b.attempt - a.attempt);
		pod.containers.sort((a, b) => b.createdAt - a.createdAt || b.attempt - a.attempt);
	}
	return pods;
}
