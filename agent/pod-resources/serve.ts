/** The pod resources API, v1 and v1alpha1, on pod-resources/kubelet.sock: which devices, processors and memory the node's pods have. For agents that watch devices. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '../../api/gen/types.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { PodResourcesListerService } from '../../wire/gen/podresources.ts';
import { serveGrpc, service, type GrpcServer } from '../../wire/grpc/server.ts';
import { allocatableResources, podDevicesOf, podResourcesOf, type Given } from './answer.ts';
import type { PodResourcesFigures } from './figures.ts';

export interface PodResourcesOptions {
	readonly rootDir: string;
	/** The pods that run or are yet to. */
	readonly pods: () => readonly Pod[];
	readonly given: Given;
	readonly figures: PodResourcesFigures;
	readonly clock: Clock;
	readonly log: Log;
}

/** The API of old, which monitors of devices still ask: its messages are the first fields of v1's. */
export const PodResourcesListerServiceV1Alpha1 = {
	list: { ...PodResourcesListerService.list, path: '/v1alpha1.PodResourcesLister/List' },
} as const;

export async function servePodResources({ rootDir, pods, given, figures, clock, log }: PodResourcesOptions): Promise<GrpcServer> {
	const folder = join(rootDir, 'pod-resources');
	await mkdir(folder, { recursive: true, mode: 0o750 });
	const lister = service(PodResourcesListerService, {
		list: async () => figures.counted('list', () => ({ podResources: pods().map((pod) => podResourcesOf(pod, given)) })),
		getAllocatableResources: async () => figures.counted('get_allocatable', () => allocatableResources(given)),
		get: async ({ podName, podNamespace }) =>
			figures.counted('get', () => {
				const pod = pods().find(({ metadata }) => metadata.name === podName && metadata.namespace === podNamespace);
				if (pod === undefined) throw new AppError('Unknown', `pod ${podName} in namespace ${podNamespace} not found`);
				return { podResources: podResourcesOf(pod, given) };
			}),
	});
	const ofOld = service(PodResourcesListerServiceV1Alpha1, {
		list: async () => figures.countedOfOld(() => ({ podResources: pods().map((pod) => podDevicesOf(pod, given)) })),
	});
	return serveGrpc([lister, ofOld], { address: `unix://${join(folder, 'kubelet.sock')}`, clock, log });
}
