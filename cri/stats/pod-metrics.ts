/**
 * Pod metrics in cadvisor's names, which dashboards know: the descriptors, and one table of what each is read from. Values are whole numbers on
 * the wire; seconds are cut.
 */
import type { CgroupDetails, DeviceIo, Pressure, Pressures } from '../../host/cgroup-details.ts';
import type { CgroupUsage } from '../../host/cgroups.ts';
import { MetricType, type Metric, type MetricDescriptor } from '../proto.ts';
import type { LayerSize } from './layer-usage.ts';

/** Who a metric is about: cadvisor's labels. */
const BASE = ['id', 'name', 'image', 'container', 'pod', 'namespace'] as const;

export interface Subject {
	readonly labels: readonly string[];
	readonly timestamp: bigint;
}

export interface ContainerFacts {
	readonly usage: CgroupUsage;
	readonly processes: bigint;
	readonly details: CgroupDetails;
	readonly pressures: Pressures;
	readonly layer: LayerSize | undefined;
	readonly startedAtSeconds: bigint;
	readonly nowSeconds: bigint;
}

/** Bytes, packets, errors and drops of one interface, received and sent. */
export interface InterfaceFacts {
	readonly name: string;
	readonly counters: readonly bigint[];
}

interface Row<F> {
	readonly name: string;
	readonly help: string;
	readonly type: MetricType;
	readonly labels?: readonly string[];
	/** A value, or one for each set of further labels. */
	readonly read: (facts: F) => bigint | undefined | readonly (readonly [labels: readonly string[], value: bigint])[];
}

const COUNTER = MetricType.COUNTER;
const GAUGE = MetricType.GAUGE;
const SECOND = 1_000_000_000n;

const device = (read: (io: DeviceIo) => bigint) => (f: ContainerFacts) => f.details.devices.map((io) => [[io.device], read(io)] as const);
const waited = (of: (p: Pressures) => Pressure | undefined, line: 'some' | 'full') => (f: ContainerFacts) => {
	const pressure = of(f.pressures);
	return pressure === undefined ? undefined : pressure[line].totalNanos / SECOND;
};

const CONTAINER: readonly Row<ContainerFacts>[] = [
	{
		name: 'container_cpu_usage_seconds_total',
		help: 'Cumulative cpu time consumed in seconds.',
		type: COUNTER,
		labels: ['cpu'],
		read: (f) => [[['total'], f.usage.cpuNanos / SECOND]],
	},
	{
		name: 'container_cpu_user_seconds_total',
		help: 'Cumulative user cpu time consumed in seconds.',
		type: COUNTER,
		read: (f) => f.details.cpuUserNanos / SECOND,
	},
	{
		name: 'container_cpu_system_seconds_total',
		help: 'Cumulative system cpu time consumed in seconds.',
		type: COUNTER,
		read: (f) => f.details.cpuSystemNanos / SECOND,
	},
	{
		name: 'container_cpu_cfs_periods_total',
		help: 'Number of elapsed enforcement period intervals.',
		type: COUNTER,
		read: (f) => f.details.periods,
	},
	{
		name: 'container_cpu_cfs_throttled_periods_total',
		help: 'Number of throttled period intervals.',
		type: COUNTER,
		read: (f) => f.details.throttledPeriods,
	},
	{
		name: 'container_cpu_cfs_throttled_seconds_total',
		help: 'Total time duration the container has been throttled.',
		type: COUNTER,
		read: (f) => f.details.throttledNanos / SECOND,
	},
	{
		name: 'container_memory_usage_bytes',
		help: 'Current memory usage in bytes, including all memory regardless of when it was accessed.',
		type: GAUGE,
		read: (f) => f.usage.memoryBytes,
	},
	{ name: 'container_memory_working_set_bytes', help: 'Current working set in bytes.', type: GAUGE, read: (f) => f.usage.workingSetBytes },
	{ name: 'container_memory_rss', help: 'Size of RSS in bytes.', type: GAUGE, read: (f) => f.usage.rssBytes },
	{ name: 'container_memory_cache', help: 'Number of bytes of page cache memory.', type: GAUGE, read: (f) => f.details.cacheBytes },
	{
		name: 'container_memory_mapped_file',
		help: 'Size of memory mapped files in bytes.',
		type: GAUGE,
		read: (f) => f.details.mappedFileBytes,
	},
	{
		name: 'container_memory_kernel_usage',
		help: 'Size of kernel memory allocated in bytes.',
		type: GAUGE,
		read: (f) => f.details.kernelBytes,
	},
	{ name: 'container_memory_swap', help: 'Container swap usage in bytes.', type: GAUGE, read: (f) => f.usage.swapBytes },
	{
		name: 'container_memory_max_usage_bytes',
		help: 'Maximum memory usage recorded in bytes.',
		type: GAUGE,
		read: (f) => f.details.maxUsageBytes,
	},
	{ name: 'container_memory_failcnt', help: 'Number of memory usage hits limits.', type: COUNTER, read: (f) => f.details.limitHits },
	{
		name: 'container_memory_failures_total',
		help: 'Cumulative count of memory allocation failures.',
		type: COUNTER,
		labels: ['failure_type', 'scope'],
		read: (f) => [
			[['pgfault', 'container'], f.usage.pageFaults],
			[['pgmajfault', 'container'], f.usage.majorPageFaults],
		],
	},
	{
		name: 'container_spec_memory_limit_bytes',
		help: 'Memory limit for the container.',
		type: GAUGE,
		read: (f) => f.usage.memoryLimitBytes ?? 0n,
	},
	{ name: 'container_processes', help: 'Number of processes running inside the container.', type: GAUGE, read: (f) => f.processes },
	{
		name: 'container_start_time_seconds',
		help: 'Start time of the container since unix epoch in seconds.',
		type: GAUGE,
		read: (f) => f.startedAtSeconds,
	},
	{ name: 'container_last_seen', help: 'Last time a container was seen by the exporter.', type: GAUGE, read: (f) => f.nowSeconds },
	{
		name: 'container_fs_usage_bytes',
		help: 'Number of bytes that are consumed by the container on this filesystem.',
		type: GAUGE,
		read: (f) => f.layer?.usedBytes,
	},
	{
		name: 'container_fs_inodes_total',
		help: 'Number of inodes of the container on this filesystem.',
		type: GAUGE,
		read: (f) => f.layer?.inodes,
	},
	{
		name: 'container_fs_reads_bytes_total',
		help: 'Cumulative count of bytes read.',
		type: COUNTER,
		labels: ['device'],
		read: device((io) => io.readBytes),
	},
	{
		name: 'container_fs_writes_bytes_total',
		help: 'Cumulative count of bytes written.',
		type: COUNTER,
		labels: ['device'],
		read: device((io) => io.writtenBytes),
	},
	{
		name: 'container_fs_reads_total',
		help: 'Cumulative count of reads completed.',
		type: COUNTER,
		labels: ['device'],
		read: device((io) => io.reads),
	},
	{
		name: 'container_fs_writes_total',
		help: 'Cumulative count of writes completed.',
		type: COUNTER,
		labels: ['device'],
		read: device((io) => io.writes),
	},
	{
		name: 'container_pressure_cpu_waiting_seconds_total',
		help: 'Total time duration tasks in the container have waited due to CPU congestion.',
		type: COUNTER,
		read: waited((p) => p.cpu, 'some'),
	},
	{
		name: 'container_pressure_cpu_stalled_seconds_total',
		help: 'Total time duration no tasks in the container could make progress due to CPU congestion.',
		type: COUNTER,
		read: waited((p) => p.cpu, 'full'),
	},
	{
		name: 'container_pressure_memory_waiting_seconds_total',
		help: 'Total time duration tasks in the container have waited due to memory congestion.',
		type: COUNTER,
		read: waited((p) => p.memory, 'some'),
	},
	{
		name: 'container_pressure_memory_stalled_seconds_total',
		help: 'Total time duration no tasks in the container could make progress due to memory congestion.',
		type: COUNTER,
		read: waited((p) => p.memory, 'full'),
	},
	{
		name: 'container_pressure_io_waiting_seconds_total',
		help: 'Total time duration tasks in the container have waited due to IO congestion.',
		type: COUNTER,
		read: waited((p) => p.io, 'some'),
	},
	{
		name: 'container_pressure_io_stalled_seconds_total',
		help: 'Total time duration no tasks in the container could make progress due to IO congestion.',
		type: COUNTER,
		read: waited((p) => p.io, 'full'),
	},
];

const counter = (direction: string, what: string, help: string, index: number): Row<readonly InterfaceFacts[]> => ({
	name: `container_network_${direction}_${what}_total`,
	help,
	type: COUNTER,
	labels: ['interface'],
	read: (all) => all.map(({ name, counters }) => [[name], counters[index] ?? 0n] as const),
});

const NETWORK: readonly Row<readonly InterfaceFacts[]>[] = [
	counter('receive', 'bytes', 'Cumulative count of bytes received.', 0),
	counter('receive', 'packets', 'Cumulative count of packets received.', 1),
	counter('receive', 'errors', 'Cumulative count of errors encountered while receiving.', 2),
	counter('receive', 'packets_dropped', 'Cumulative count of packets dropped while receiving.', 3),
	counter('transmit', 'bytes', 'Cumulative count of bytes transmitted.', 8),
	counter('transmit', 'packets', 'Cumulative count of packets transmitted.', 9),
	counter('transmit', 'errors', 'Cumulative count of errors encountered while transmitting.', 10),
	counter('transmit', 'packets_dropped', 'Cumulative count of packets dropped while transmitting.', 11),
];

/** Every metric that the two functions below can give. */
export const METRIC_DESCRIPTORS: readonly MetricDescriptor[] = [...CONTAINER, ...NETWORK].map(({ name, help, labels = [] }) => ({
	name,
	help,
	labelKeys: [...BASE, ...labels],
}));

export function containerMetrics(subject: Subject, facts: ContainerFacts): Metric[] {
	return CONTAINER.flatMap((row) => metricsOf(row, subject, facts));
}

export function networkMetrics(subject: Subject, interfaces: readonly InterfaceFacts[]): Metric[] {
	return NETWORK.flatMap((row) => metricsOf(row, subject, interfaces));
}

function metricsOf<F>({ name, type, read }: Row<F>, { labels, timestamp }: Subject, facts: F): Metric[] {
	const value = read(facts);
	if (value === undefined) return [];
	const all = typeof value === 'bigint' ? [[[], value] as const] : value;
	return all.map(([more, v]) => ({ name, timestamp, metricType: type, labelValues: [...labels, ...more], value: { value: v } }));
}
