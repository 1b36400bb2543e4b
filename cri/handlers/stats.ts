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
import { containerStats as statsOf } from '../stats/container-stats.ts';
import { sandboxStats as statsOfSandbox } from '../stats/sandbox-stats.ts';

export const containerStats: Handler<ContainerStatsRequest, ContainerStatsResponse> = async ({ state, clock }, { containerId }) => ({
	stats: await statsOf(await state.container(containerId), clock),
});

export const listContainerStats: Handler<ListContainerStatsRequest, ListContainerStatsResponse> = async ({ state, clock }, { filter }) => {
	const containers = (await state.containers()).filter(
		({ record, live }) =>
			live.state === 'running' &&
			(filter === undefined ||
				(record.id.startsWith(filter.id) &&
					record.sandboxId.startsWith(filter.podSandboxId) &&
					hasLabels(record.config.labels, filter.labelSelector))),
	);
	return { stats: await Promise.all(containers.map((c) => statsOf(c, clock))) };
};

export const podSandboxStats: Handler<PodSandboxStatsRequest, PodSandboxStatsResponse> = async ({ state, clock }, { podSandboxId }) => {
	const sandbox = await state.sandbox(podSandboxId);
	return { stats: await statsOfSandbox(sandbox, await state.containers(sandbox.record.id), clock) };
};

export const listPodSandboxStats: Handler<ListPodSandboxStatsRequest, ListPodSandboxStatsResponse> = async (
	{ state, clock },
	{ filter },
) => {
	const sandboxes = (await state.sandboxes()).filter(
		({ record, live }) =>
			live.state === 'running' &&
			(filter === undefined || (record.id.startsWith(filter.id) && hasLabels(record.config.labels, filter.labelSelector))),
	);
	return { stats: await Promise.all(sandboxes.map(async (s) => statsOfSandbox(s, await state.containers(s.record.id), clock))) };
};
