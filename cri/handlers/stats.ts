/** ContainerStats, ListContainerStats, PodSandboxStats, ListPodSandboxStats. */
import type { Handler } from '../context.ts';
import { hasLabels } from '../convert/sandbox-status.ts';
import type {
	ContainerStatsRequest,
	ContainerStatsResponse,
	ListContainerStatsRequest,
	ListContainerStatsResponse,
	ListPodSandboxStatsRequest,
	ListPodSandboxStatsResponse,
	PodSandboxStatsRequest,
	PodSandboxStatsResponse,
} from '../proto.ts';

export const containerStats: Handler<ContainerStatsRequest, ContainerStatsResponse> = async ({ state, stats }, { containerId }) => {
	const container = await state.container(containerId);
	return { stats: (await stats.containers([container]))[0] };
};

export const listContainerStats: Handler<ListContainerStatsRequest, ListContainerStatsResponse> = async ({ state, stats }, { filter }) => {
	const all = await state.containers();
	stats.keep(new Set([...all, ...(await state.sandboxes())].map((c) => c.record.id)));
	const wanted = all.filter(
		({ record, live }) =>
			live.state === 'running' &&
			(filter === undefined ||
				(record.id.startsWith(filter.id) &&
					record.sandboxId.startsWith(filter.podSandboxId) &&
					hasLabels(record.config.labels, filter.labelSelector))),
	);
	return { stats: await stats.containers(wanted) };
};

export const podSandboxStats: Handler<PodSandboxStatsRequest, PodSandboxStatsResponse> = async ({ state, stats }, { podSandboxId }) => {
	const sandbox = await state.sandbox(podSandboxId);
	const containers = await state.containers(sandbox.record.id);
	return { stats: (await stats.sandboxes([{ sandbox, containers }]))[0] };
};

export const listPodSandboxStats: Handler<ListPodSandboxStatsRequest, ListPodSandboxStatsResponse> = async (
	{ state, stats },
	{ filter },
) => {
	const [sandboxes, containers] = await Promise.all([state.sandboxes(), state.containers()]);
	const wanted = sandboxes
		.filter(
			({ record, live }) =>
				live.state === 'running' &&
				(filter === undefined || (record.id.startsWith(filter.id) && hasLabels(record.config.labels, filter.labelSelector))),
		)
		.map((sandbox) => ({ sandbox, containers: containers.filter((c) => c.record.sandboxId === sandbox.record.id) }));
	return { stats: await stats.sandboxes(wanted) };
};
