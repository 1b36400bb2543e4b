/** What is counted of flows and levels, under upstream's names (apiserver_flowcontrol_*). */
import { Counter, Gauge, SeriesHistogram, type Registry, type Series } from '../../../base/metrics.ts';
import type { Levels } from './levels.ts';
import { timingHistogram, type TimedSeries } from './timing-histogram.ts';
import type { Occupancy } from './occupancy.ts';
import { dispatchMetrics } from './dispatch-metrics.ts';
import { ShareTimes } from './share-times.ts';
import type { PriorityLevel } from './priority-level.ts';

const SECONDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const LENGTHS = [0, 10, 25, 50, 100, 250, 500, 1000];
const WATCHES = [0, 1, 10, 100, 1000, 10_000];
const SEATS = [1, 2, 4, 8, 16, 32, 64, 100];
const READ_WRITE = [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];
const PREFIX = 'apiserver_flowcontrol_';

/** Of one schema in one level; plain fields, so that counting costs nothing. */
export interface FlowSeries {
	readonly labels: { readonly priority_level: string; readonly flow_schema: string };
	dispatched: number;
	dispatchedBefore: number;
	executing: number;
	executingSeats: number;
	waiting: number;
	waitingSeats: number;
	hasWaited: boolean;
	readonly rejected: Map<string, number>;
	readonly regular: () => Series;
	readonly watch: () => Series;
	readonly waited: () => Series;
	/** Refused at once. */
	readonly refused: () => Series;
	readonly width: () => Series;
	readonly queueLength: () => Series;
	readonly watchers: () => Series;
}

/** Requests of one kind in one phase. */
export interface ReadsAndWrites {
	readonly readOnly: { readonly executing: Occupancy; readonly waiting: Occupancy };
	readonly mutating: { readonly executing: Occupancy; readonly waiting: Occupancy };
}

export class FlowMetrics {
	readonly #flows = new Map<string, FlowSeries>();
	readonly #execution: SeriesHistogram;
	readonly #wait: SeriesHistogram;
	readonly #width: SeriesHistogram;
	readonly #length: SeriesHistogram;
	readonly #watches: SeriesHistogram;

	constructor(
		registry: Registry,
		levels: Levels,
		kinds: ReadsAndWrites,
		limits: { readonly reads: number; readonly writes: number },
		now: () => number,
	) {
		const registers = [registry];
		const histogram = (name: string, help: string, buckets: readonly number[]): SeriesHistogram =>
			new SeriesHistogram({ name: `${PREFIX}${name}`, help, buckets, registers });
		this.#execution = histogram(
			'request_execution_seconds',
			'Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in the API Priority and Fairness subsystem',
			SECONDS,
		);
		this.#wait = histogram('request_wait_duration_seconds', 'Length of time a request spent waiting in its queue', SECONDS);
		this.#width = histogram(
			'work_estimated_seats',
			'Number of estimated seats (maximum of initial and final seats) associated with requests in API Priority and Fairness',
			SEATS,
		);
		this.#length = histogram(
			'request_queue_length_after_enqueue',
			'Length of queue in the API Priority and Fairness subsystem, as seen by each request after it is enqueued',
			LENGTHS,
		);
		this.#watches = histogram('watch_count_samples', 'count of watchers for mutating requests in API Priority and Fairness', WATCHES);
		this.#countFlows(registers);
		gaugeLevels(registers, levels);
		dispatchMetrics(registers, PREFIX, levels);
		timeLevels(registers, levels, kinds, limits, now);
	}

	of(schema: string, level: string): FlowSeries {
		const key = `${level}/${schema}`;
		let series = this.#flows.get(key);
		if (series === undefined) {
			const labels = { priority_level: level, flow_schema: schema };
			series = {
				...{
					labels,
					dispatched: 0,
					dispatchedBefore: 0,
					executing: 0,
					executingSeats: 0,
					waiting: 0,
					waitingSeats: 0,
					hasWaited: false,
					rejected: new Map(),
				},
				regular: once(() => this.#execution.series({ ...labels, type: 'regular' })),
				watch: once(() => this.#execution.series({ ...labels, type: 'watch' })),
				waited: once(() => this.#wait.series({ ...labels, execute: 'true' })),
				refused: once(() => this.#wait.series({ ...labels, execute: 'false' })),
				width: once(() => this.#width.series(labels)),
				queueLength: once(() => this.#length.series(labels)),
				watchers: once(() => this.#watches.series(labels)),
			};
			this.#flows.set(key, series);
		}
		return series;
	}

	#countFlows(registers: Registry[]): void {
		const flows = this.#flows;
		const names = ['priority_level', 'flow_schema'] as const;
		new Counter<'priority_level' | 'flow_schema'>({
			...{ name: `${PREFIX}dispatched_requests_total`, labelNames: names, registers },
			help: 'Number of requests executed by API Priority and Fairness subsystem',
			collect() {
				for (const flow of flows.values()) {
					if (flow.dispatched > flow.dispatchedBefore) this.inc(flow.labels, flow.dispatched - flow.dispatchedBefore);
					flow.dispatchedBefore = flow.dispatched;
				}
			},
		});
		new Counter<'priority_level' | 'flow_schema' | 'reason'>({
			...{ name: `${PREFIX}rejected_requests_total`, labelNames: [...names, 'reason'] as const, registers },
			help: 'Number of requests rejected by API Priority and Fairness subsystem',
			collect() {
				for (const { labels, rejected } of flows.values()) {
					for (const [reason, count] of rejected) this.inc({ ...labels, reason }, count);
					rejected.clear();
				}
			},
		});
		const gauges = [
			[
				'current_executing_requests',
				'executing',
				'Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem',
			],
			[
				'current_executing_seats',
				'executingSeats',
				'Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem',
			],
			// Shown once somebody has waited.
			['current_inqueue_requests', 'waiting', 'Number of requests currently pending in queues of the API Priority and Fairness subsystem'],
			['current_inqueue_seats', 'waitingSeats', 'Number of seats currently pending in queues of the API Priority and Fairness subsystem'],
		] as const;
		for (const [name, field, help] of gauges)
			new Gauge<'priority_level' | 'flow_schema'>({
				...{ name: `${PREFIX}${name}`, help, labelNames: names, registers },
				collect() {
					for (const flow of flows.values()) if (isShown(flow, field)) this.set(flow.labels, flow[field]);
				},
			});
	}
}

function isShown({ dispatched, hasWaited }: FlowSeries, field: 'executing' | 'executingSeats' | 'waiting' | 'waitingSeats'): boolean {
	return field === 'waiting' || field === 'waitingSeats' ? hasWaited : dispatched > 0;
}

function once<T>(make: () => T): () => T {
	let made: T | undefined;
	return () => (made ??= make());
}

function gaugeLevels(registers: Registry[], levels: Levels): void {
	const gauges: readonly (readonly [string, string, (level: PriorityLevel) => number])[] = [
		['nominal_limit_seats', 'Nominal number of execution seats configured for each priority level', (l) => l.nominal],
		['lower_limit_seats', 'Configured lower bound on number of execution seats available to each priority level', (l) => l.lower],
		['upper_limit_seats', 'Configured upper bound on number of execution seats available to each priority level', (l) => l.upper],
		['current_limit_seats', 'current derived number of execution seats available to each priority level', (l) => l.current],
		['demand_seats_high_watermark', 'High watermark, over last adjustment period, of demand_seats', (l) => l.demand.highest],
		['demand_seats_average', 'Time-weighted average, over last adjustment period, of demand_seats', (l) => l.demand.average],
		['demand_seats_stdev', 'Time-weighted standard deviation, over last adjustment period, of demand_seats', (l) => l.demand.deviation],
		['demand_seats_smoothed', 'Smoothed seat demands', (l) => l.demand.smoothed],
		['target_seats', 'Seat allocation targets', (l) => l.demand.target],
		['current_r', 'R(time of last change)', (l) => l.queues.virtualSeconds],
	];
	for (const [name, help, read] of gauges)
		new Gauge<'priority_level'>({
			...{ name: `${PREFIX}${name}`, help, labelNames: ['priority_level'], registers },
			collect() {
				this.reset();
				for (const level of levels.all()) this.set({ priority_level: level.name }, read(level));
			},
		});
	new Gauge({
		...{ name: `${PREFIX}seat_fair_frac`, registers },
		help: "Fair fraction of server's concurrency to allocate to each priority level that can use it",
		collect() {
			this.set(levels.fairFraction);
		},
	});
}

/** Shares of what is there, weighted by the time they were in use. */
function timeLevels(
	registers: Registry[],
	levels: Levels,
	kinds: ReadsAndWrites,
	limits: { readonly reads: number; readonly writes: number },
	now: () => number,
): void {
	const all = (read: (level: PriorityLevel) => readonly TimedSeries[]) => () => [...levels.all()].flatMap(read);
	timingHistogram(
		registers,
		`${PREFIX}priority_level_seat_utilization`,
		'Observations, at the end of every nanosecond, of utilization of seats for any stage of execution (but only initial stage for WATCHes)',
		now,
		all(({ name, times }) => [{ labels: { priority_level: name, phase: 'executing' }, times: times.seats }]),
	);
	timingHistogram(
		registers,
		`${PREFIX}priority_level_request_utilization`,
		'Observations, at the end of every nanosecond, of number of requests (as a fraction of the relevant limit) waiting or in any stage of execution (but only initial stage for WATCHes)',
		now,
		all(({ name, times }) => [
			{ labels: { phase: 'waiting', priority_level: name }, times: times.waiting },
			{ labels: { phase: 'executing', priority_level: name }, times: times.running },
		]),
	);
	timingHistogram(
		registers,
		`${PREFIX}demand_seats`,
		'Observations, at the end of every nanosecond, of (the number of seats each priority level could use) / (nominal number of seats for that level)',
		now,
		all(({ name, times }) => [{ labels: { priority_level: name }, times: times.demand }]),
	);
	const phases = (['mutating', 'readOnly'] as const).flatMap((kind) =>
		(['executing', 'waiting'] as const).map((phase) => ({
			labels: { phase, request_kind: kind },
			times: new ShareTimes(kinds[kind][phase], READ_WRITE, kind === 'mutating' ? limits.writes : limits.reads),
		})),
	);
	timingHistogram(
		registers,
		`${PREFIX}read_vs_write_current_requests`,
		'Observations, at the end of every nanosecond, of the number of requests (as a fraction of the relevant limit) waiting or in regular stage of execution',
		now,
		() => phases,
	);
}
