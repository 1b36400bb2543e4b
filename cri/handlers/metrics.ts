/** ListMetricDescriptors, ListPodSandboxMetrics and its stream: cadvisor's metrics of every pod that runs. */
import { readPressures, readDetails } from '../../host/cgroup-details.ts';
import { readProcesses, readUsage } from '../../host/cgroups.ts';
import { readOnce, readSmall } from '../../host/small-file.ts';
import type { Context, Handler } from '../context.ts';
import type {
	ListMetricDescriptorsRequest,
	ListMetricDescriptorsResponse,
	ListPodSandboxMetricsRequest,
	ListPodSandboxMetricsResponse,
	Metric,
	PodSandboxMetrics,
} from '../proto.ts';
import type { Live } from '../state/live.ts';
import type { ContainerRecord, SandboxRecord } from '../state/records.ts';
import type { Tracked } from '../state/state.ts';
import type { LayerSize } from '../stats/layer-usage.ts';
import { parseCounters } from '../stats/network-usage.ts';
import { containerMetrics, METRIC_DESCRIPTORS, networkMetrics, type Subject } from '../stats/pod-metrics.ts';

/** The name that cadvisor's metrics of the pause container carry. */
const POD = 'POD';

export const listMetricDescriptors: Handler<ListMetricDescriptorsRequest, ListMetricDescriptorsResponse> = async () => ({
	descriptors: [...METRIC_DESCRIPTORS],
});

export const listPodSandboxMetrics: Handler<ListPodSandboxMetricsRequest, ListPodSandboxMetricsResponse> = async (context) => {
	const [sandboxes, containers] = await Promise.all([context.state.sandboxes(), context.state.containers()]);
	const podMetrics: PodSandboxMetrics[] = [];
	for (const sandbox of sandboxes) {
		if (sandbox.live.state !== 'running') continue;
		const own = containers.filter((c) => c.record.sandboxId === sandbox.record.id && c.live.state === 'running');
		podMetrics.push(metricsOf(context, sandbox, own));
		await new Promise((resolve) => setImmediate(resolve)); // a pod takes a millisecond or so
	}
	return { podMetrics };
};

function metricsOf(context: Context, sandbox: Tracked<SandboxRecord>, containers: readonly Tracked<ContainerRecord>[]): PodSandboxMetrics {
	const { record, live } = sandbox;
	const subject = subjectOf(context, record, record, context.pauseImage, POD);
	const interfaces =
		live.state === 'running' && record.address !== undefined
			? parseCounters(readSmall(`/proc/${live.pid}/net/dev`) ?? '').filter((i) => i.name !== 'lo')
			: [];
	return {
		podSandboxId: record.id,
		metrics: [...usageMetrics(context, subject, record.id, live, undefined), ...networkMetrics(subject, interfaces)],
		containerMetrics: containers.map((c) => ({
			containerId: c.record.id,
			metrics: usageMetrics(
				context,
				subjectOf(
					context,
					record,
					c.record,
					c.record.config.image?.userSpecifiedImage || c.record.imageRef,
					c.record.config.metadata?.name ?? '',
				),
				c.record.id,
				c.live,
				context.stats.layer(c),
			),
		})),
	};
}

function subjectOf(
	{ clock }: Context,
	{ metadata }: SandboxRecord,
	{ id, name }: { readonly id: string; readonly name: string },
	image: string,
	container: string,
): Subject {
	return { labels: [id, name, image, container, metadata.name, metadata.namespace], timestamp: BigInt(clock.now()) * 1_000_000n };
}

function usageMetrics({ stats, clock }: Context, subject: Subject, id: string, live: Live, layer: LayerSize | undefined): Metric[] {
	const groups = stats.groupsOf(id, live);
	if (groups === undefined || live.state !== 'running') return [];
	const read = readOnce(); // the largest file, memory.stat, is needed by both
	return containerMetrics(subject, {
		usage: readUsage(groups, read),
		processes: readProcesses(groups),
		details: readDetails(groups, read),
		pressures: readPressures(groups),
		layer,
		startedAtSeconds: live.startedAtNanos / 1_000_000_000n,
		nowSeconds: BigInt(Math.floor(clock.now() / 1000)),
	});
}
