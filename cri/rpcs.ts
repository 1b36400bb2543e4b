/** The CRI services: each RPC bound to its handler. */
import type { Handlers } from '../wire/grpc/method.ts';
import type { Context, Handler } from './context.ts';
import { checkpointContainer } from './handlers/container-checkpoint.ts';
import { createContainer } from './handlers/container-create.ts';
import { getContainerEvents } from './handlers/container-events.ts';
import { listContainers } from './handlers/container-list.ts';
import { removeContainer } from './handlers/container-remove.ts';
import { startContainer } from './handlers/container-start.ts';
import { containerStatus } from './handlers/container-status.ts';
import { stopContainer } from './handlers/container-stop.ts';
import { execSync } from './handlers/exec-sync.ts';
import { imageFsInfo } from './handlers/image-fs-info.ts';
import { listImages } from './handlers/image-list.ts';
import { pullImage } from './handlers/image-pull.ts';
import { removeImage } from './handlers/image-remove.ts';
import { imageStatus } from './handlers/image-status.ts';
import { listMetricDescriptors, listPodSandboxMetrics } from './handlers/metrics.ts';
import { reopenContainerLog } from './handlers/log-reopen.ts';
import { updateContainerResources } from './handlers/resources-update.ts';
import { updateRuntimeConfig } from './handlers/runtime-config-update.ts';
import { runtimeConfig } from './handlers/runtime-config.ts';
import { listPodSandbox } from './handlers/sandbox-list.ts';
import { removePodSandbox } from './handlers/sandbox-remove.ts';
import { runPodSandbox } from './handlers/sandbox-run.ts';
import { podSandboxStatus } from './handlers/sandbox-status.ts';
import { stopPodSandbox } from './handlers/sandbox-stop.ts';
import { containerStats, listContainerStats, listPodSandboxStats, podSandboxStats } from './handlers/stats.ts';
import { status } from './handlers/status.ts';
import { attach, exec, portForward } from './handlers/streams.ts';
import { version } from './handlers/version.ts';
import type { ImageServiceService, RuntimeServiceService } from './proto.ts';

type Runtime = Handlers<typeof RuntimeServiceService>;
type Images = Handlers<typeof ImageServiceService>;

/** A list answered as a stream comes in batches of this many. */
const STREAM_BATCH = 100;

export function runtimeHandlers(context: Context): Runtime {
	const bind =
		<Q, A>(handler: Handler<Q, A>) =>
		(request: Q, { signal }: { readonly signal: AbortSignal }): Promise<A> =>
			handler(context, request, signal);
	const { state } = context;
	return {
		version: bind(version),
		status: bind(status),
		runtimeConfig: bind(runtimeConfig),
		updateRuntimeConfig: bind(updateRuntimeConfig),
		runPodSandbox: bind(runPodSandbox),
		stopPodSandbox: bind(stopPodSandbox),
		removePodSandbox: bind(removePodSandbox),
		podSandboxStatus: bind(podSandboxStatus),
		listPodSandbox: bind(listPodSandbox),
		createContainer: bind(createContainer),
		startContainer: bind(startContainer),
		stopContainer: bind(stopContainer),
		removeContainer: bind(removeContainer),
		listContainers: bind(listContainers),
		containerStatus: bind(containerStatus),
		updateContainerResources: bind(updateContainerResources),
		reopenContainerLog: bind(reopenContainerLog),
		execSync: bind(execSync),
		exec: bind(exec),
		attach: bind(attach),
		portForward: bind(portForward),
		containerStats: bind(containerStats),
		listContainerStats: bind(listContainerStats),
		podSandboxStats: bind(podSandboxStats),
		listPodSandboxStats: bind(listPodSandboxStats),
		getContainerEvents: (_request, { signal }) => getContainerEvents(context, signal),
		updatePodSandboxResources: async ({ podSandboxId }) => {
			await state.sandbox(podSandboxId); // the pod's own cgroup is the kubelet's; the engine has nothing to change
			return {};
		},
		checkpointContainer: bind(checkpointContainer),
		listMetricDescriptors: bind(listMetricDescriptors),
		listPodSandboxMetrics: bind(listPodSandboxMetrics),
		streamPodSandboxMetrics: async function* (_request, { signal }) {
			for (const podSandboxMetrics of batches((await listPodSandboxMetrics(context, {}, signal)).podMetrics)) yield { podSandboxMetrics };
		},
		streamPodSandboxes: async function* (request, { signal }) {
			for (const podSandboxes of batches((await listPodSandbox(context, request, signal)).items)) yield { podSandboxes };
		},
		streamContainers: async function* (request, { signal }) {
			for (const containers of batches((await listContainers(context, request, signal)).containers)) yield { containers };
		},
		streamContainerStats: async function* (request, { signal }) {
			for (const stats of batches((await listContainerStats(context, request, signal)).stats)) yield { containerStats: stats };
		},
		streamPodSandboxStats: async function* (request, { signal }) {
			for (const stats of batches((await listPodSandboxStats(context, request, signal)).stats)) yield { podSandboxStats: stats };
		},
	};
}

export function imageHandlers(context: Context): Images {
	const bind =
		<Q, A>(handler: Handler<Q, A>) =>
		(request: Q, { signal }: { readonly signal: AbortSignal }): Promise<A> =>
			handler(context, request, signal);
	return {
		listImages: bind(listImages),
		imageStatus: bind(imageStatus),
		pullImage: bind(pullImage),
		removeImage: bind(removeImage),
		imageFsInfo: bind(imageFsInfo),
		streamImages: async function* (request, { signal }) {
			for (const images of batches((await listImages(context, request, signal)).images)) yield { images };
		},
	};
}

function batches<T>(items: readonly T[]): T[][] {
	const result: T[][] = [];
	for (let from = 0; from < items.length; from += STREAM_BATCH) result.push(items.slice(from, from + STREAM_BATCH));
	return result;
}
