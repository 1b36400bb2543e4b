/** The families of /metrics/cadvisor: one table of what each is read from, under cAdvisor's names and in its words. Pure. */
import type { Pressure, Pressures } from '../../host/cgroup-details.ts';
import type { CgroupSpec } from '../../host/cgroup-spec.ts';
import type { Family, Sample } from '../server/exposition.ts';
import type { GroupFigures, NamedDeviceIo } from './figures.ts';
import { FILE_SYSTEM_ROWS, INTERFACE_ROWS } from './host-rows.ts';
import type { InterfaceCounters, Processes } from './processes.ts';
import type { FileSystemFigures } from './file-systems.ts';

export interface Labels extends Readonly<Record<string, string>> {
	readonly container: string;
	/** The group: "/kubepods/podX". */
	readonly id: string;
	readonly image: string;
	/** The container's id in the runtime. */
	readonly name: string;
	readonly namespace: string;
	readonly pod: string;
}

/** One group of the node: the root, those of pods, containers. */
export interface Watched {
	readonly labels: Labels;
	/** ms since the epoch. */
	readonly at: number;
	readonly startedAt: number | undefined;
	readonly figures: GroupFigures;
	readonly processes?: Processes | undefined;
	readonly interfaces?: readonly InterfaceCounters[];
	readonly fileSystems?: readonly FileSystemFigures[];
}

export type More = Readonly<Record<string, string>>;
/** A value, or one for each set of further labels. */
export type Values = number | undefined | readonly (readonly [more: More, value: number | undefined])[];

interface Row {
	readonly name: string;
	readonly help: string;
	readonly type: Family['type'];
	/** As of a point in time. */
	readonly timed: boolean;
	readonly read: (watched: Watched) => Values;
}

const SECOND = 1e9;
const row =
	(type: Family['type'], timed = true) =>
	(name: string, help: string, read: (w: Watched) => Values): Row => ({ name: `container_${name}`, help, type, timed, read });
const counter = row('counter');
const gauge = row('gauge');
const fact = row('gauge', false);

const seconds = (nanos: number | undefined): number | undefined => (nanos === undefined ? undefined : nanos / SECOND);
/** Only where there is a quota. */
const throttling = (value: (f: GroupFigures) => number | undefined) => (w: Watched) =>
	(w.figures.spec?.cpuQuotaUs ?? 0) === 0 ? undefined : value(w.figures);
const devices = (value: (io: NamedDeviceIo) => bigint) => (w: Watched) =>
	(w.figures.devices ?? []).map((io) => [{ device: io.name ?? '' }, Number(value(io))] as const);
const waited = (of: (p: Pressures) => Pressure | undefined, line: keyof Pressure) => (w: Watched) => {
	const pressure = w.figures.pressures === undefined ? undefined : of(w.figures.pressures);
	return pressure === undefined ? undefined : Number(pressure[line].totalNanos) / SECOND;
};
const allowed = (value: (spec: CgroupSpec) => number | undefined) => (w: Watched) =>
	w.figures.spec === undefined ? undefined : value(w.figures.spec);

const ROWS: readonly Row[] = [
	gauge('last_seen', 'Last time a container was seen by the exporter', (w) => Math.floor(w.at / 1000)),
	counter('cpu_user_seconds_total', 'Cumulative user cpu time consumed in seconds.', (w) => seconds(w.figures.userNanos)),
	counter('cpu_system_seconds_total', 'Cumulative system cpu time consumed in seconds.', (w) => seconds(w.figures.systemNanos)),
	counter('cpu_usage_seconds_total', 'Cumulative cpu time consumed in seconds.', (w) => [[{ cpu: 'total' }, seconds(w.figures.cpuNanos)]]),
	counter(
		'cpu_cfs_periods_total',
		'Number of elapsed enforcement period intervals.',
		throttling((f) => f.periods),
	),
	counter(
		'cpu_cfs_throttled_periods_total',
		'Number of throttled period intervals.',
		throttling((f) => f.throttledPeriods),
	),
	counter(
		'cpu_cfs_throttled_seconds_total',
		'Total time duration the container has been throttled.',
		throttling((f) => seconds(f.throttledNanos)),
	),
	counter(
		'cpu_cfs_burst_periods_total',
		'Number of periods when burst occurs.',
		throttling((f) => f.burstPeriods),
	),
	counter(
		'cpu_cfs_burst_seconds_total',
		'Total time duration the container has been bursted.',
		throttling((f) => seconds(f.burstNanos)),
	),
	gauge('memory_cache', 'Number of bytes of page cache memory.', (w) => w.figures.cacheBytes),
	gauge('memory_rss', 'Size of RSS in bytes.', (w) => w.figures.rssBytes),
	gauge('memory_kernel_usage', 'Size of kernel memory allocated in bytes.', (w) => w.figures.kernelBytes),
	gauge('memory_mapped_file', 'Size of memory mapped files in bytes.', (w) => w.figures.mappedFileBytes),
	gauge('memory_swap', 'Container swap usage in bytes.', (w) => w.figures.swapBytes),
	counter('memory_failcnt', 'Number of memory usage hits limits', (w) => w.figures.limitHits),
	gauge(
		'memory_usage_bytes',
		'Current memory usage in bytes, including all memory regardless of when it was accessed',
		(w) => w.figures.memoryBytes,
	),
	gauge('memory_max_usage_bytes', 'Maximum memory usage recorded in bytes', (w) => w.figures.maxMemoryBytes),
	gauge('memory_working_set_bytes', 'Current working set in bytes.', (w) => w.figures.workingSetBytes),
	gauge('memory_total_active_file_bytes', 'Current total active file in bytes.', (w) => w.figures.activeFileBytes),
	gauge('memory_total_inactive_file_bytes', 'Current total inactive file in bytes.', (w) => w.figures.inactiveFileBytes),
	counter('memory_failures_total', 'Cumulative count of memory allocation failures.', ({ figures: f }) => [
		[{ failure_type: 'pgfault', scope: 'container' }, f.ownPageFaults],
		[{ failure_type: 'pgmajfault', scope: 'container' }, f.ownMajorPageFaults],
		[{ failure_type: 'pgfault', scope: 'hierarchy' }, f.pageFaults],
		[{ failure_type: 'pgmajfault', scope: 'hierarchy' }, f.majorPageFaults],
	]),
	counter(
		'fs_reads_bytes_total',
		'Cumulative count of bytes read',
		devices((io) => io.readBytes),
	),
	counter(
		'fs_writes_bytes_total',
		'Cumulative count of bytes written',
		devices((io) => io.writtenBytes),
	),
	counter('blkio_device_usage_total', 'Blkio Device bytes usage', (w) =>
		(w.figures.devices ?? []).flatMap((io) => {
			const [major = '', minor = ''] = io.device.split(':');
			const of = { device: io.name ?? '', major, minor };
			return [
				[{ ...of, operation: 'Read' }, Number(io.readBytes)] as const,
				[{ ...of, operation: 'Write' }, Number(io.writtenBytes)] as const,
			];
		}),
	),
	gauge('processes', 'Number of processes running inside the container.', (w) => w.processes?.count),
	gauge('file_descriptors', 'Number of open file descriptors for the container.', (w) => w.processes?.descriptors),
	gauge('sockets', 'Number of open sockets for the container.', (w) => w.processes?.sockets),
	gauge('threads_max', 'Maximum number of threads allowed inside the container, infinity if value is zero', (w) => w.figures.spec?.threads),
	gauge('threads', 'Number of threads running inside the container', (w) => w.figures.threads),
	gauge('ulimits_soft', 'Soft ulimit values for the container root process. Unlimited if -1, except priority and nice', (w) => [
		[{ ulimit: 'max_open_files' }, w.processes?.openFilesLimit],
	]),
	counter('oom_events_total', 'Count of out of memory events observed for the container', (w) => w.figures.oomKills),
	counter(
		'pressure_cpu_stalled_seconds_total',
		'Total time duration no tasks in the container could make progress due to CPU congestion.',
		waited((p) => p.cpu, 'full'),
	),
	counter(
		'pressure_cpu_waiting_seconds_total',
		'Total time duration tasks in the container have waited due to CPU congestion.',
		waited((p) => p.cpu, 'some'),
	),
	counter(
		'pressure_memory_stalled_seconds_total',
		'Total time duration no tasks in the container could make progress due to memory congestion.',
		waited((p) => p.memory, 'full'),
	),
	counter(
		'pressure_memory_waiting_seconds_total',
		'Total time duration tasks in the container have waited due to memory congestion.',
		waited((p) => p.memory, 'some'),
	),
	counter(
		'pressure_io_stalled_seconds_total',
		'Total time duration no tasks in the container could make progress due to IO congestion.',
		waited((p) => p.io, 'full'),
	),
	counter(
		'pressure_io_waiting_seconds_total',
		'Total time duration tasks in the container have waited due to IO congestion.',
		waited((p) => p.io, 'some'),
	),
	...INTERFACE_ROWS.map(([name, help, read]) =>
		counter(name, help, (w) => (w.interfaces ?? []).map((i) => [{ interface: i.name }, read(i)] as const)),
	),
	...FILE_SYSTEM_ROWS.map(([type, name, help, read]) =>
		(type === 'counter' ? counter : gauge)(name, help, (w) => [
			...(name === 'fs_reads_total' ? devices((io) => io.reads)(w) : name === 'fs_writes_total' ? devices((io) => io.writes)(w) : []),
			...(w.fileSystems ?? []).map((fs) => [{ device: fs.device }, read(fs)] as const),
		]),
	),
	fact('start_time_seconds', 'Start time of the container since unix epoch in seconds.', (w) =>
		w.startedAt === undefined ? undefined : Math.floor(w.startedAt / 1000),
	),
	fact(
		'spec_cpu_period',
		'CPU period of the container.',
		allowed((s) => s.cpuPeriodUs),
	),
	fact(
		'spec_cpu_quota',
		'CPU quota of the container.',
		allowed((s) => (s.cpuQuotaUs === 0 ? undefined : s.cpuQuotaUs)),
	),
	fact(
		'spec_cpu_shares',
		'CPU share of the container.',
		allowed((s) => s.cpuShares),
	),
	fact(
		'spec_memory_limit_bytes',
		'Memory limit for the container.',
		allowed((s) => s.memoryBytes),
	),
	fact(
		'spec_memory_swap_limit_bytes',
		'Memory swap limit for the container.',
		allowed((s) => s.swapBytes),
	),
	fact(
		'spec_memory_reservation_limit_bytes',
		'Memory reservation limit for the container.',
		allowed((s) => s.reservationBytes),
	),
];

export function containerFamilies(all: readonly Watched[]): readonly Family[] {
	return ROWS.map(({ name, help, type, timed, read }) => {
		const samples = all.flatMap((watched): readonly Sample[] => {
			const value = read(watched);
			const values = typeof value === 'object' ? eachOnce(value) : [[{}, value] as const];
			const when = timed ? { at: watched.at } : {};
			return values.map(([more, v]) => ({ labels: { ...watched.labels, ...more }, value: v, ...when }));
		});
		return { name, type, help, samples };
	});
}

/** The first value for each set of labels, as Prometheus takes it: a file system may be of the whole disk that is told of, and disks without a name have one. */
function eachOnce(values: Exclude<Values, number | undefined>): Exclude<Values, number | undefined> {
	const seen = new Set<string>();
	return values.filter(([more, value]) => {
		const key = value === undefined ? '' : JSON.stringify(more);
		return value !== undefined && !seen.has(key) && seen.add(key);
	});
}
