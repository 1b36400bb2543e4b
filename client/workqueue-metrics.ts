/** The work queue's metrics under upstream's names, shared by all queues of a registry and told apart by `name`. */
import { Counter, Gauge, Histogram, type Registry } from '../base/metrics.ts';

export interface WorkQueueMetrics {
	readonly depth: { set(value: number): void };
	readonly adds: { inc(): void };
	readonly retries: { inc(): void };
	readonly queueDuration: { observe(seconds: number): void };
	/** A handler took the key at `now` (monotonic ms). */
	begin(key: string, now: number): void;
	end(key: string, now: number): void;
}

/** prometheus.ExponentialBuckets(10e-9, 10, 12), as component-base has it. */
const BUCKETS = Array.from({ length: 12 }, (_, i) => 1e-8 * 10 ** i);

interface Family {
	readonly depth: Gauge<'name'>;
	readonly adds: Counter<'name'>;
	readonly retries: Counter<'name'>;
	readonly queueDuration: Histogram<'name'>;
	readonly workDuration: Histogram<'name'>;
	readonly unfinished: Gauge<'name'>;
	readonly longest: Gauge<'name'>;
}

const families = new WeakMap<Registry, Family>();

export function workQueueMetrics(registry: Registry, name: string): WorkQueueMetrics {
	const family = families.get(registry) ?? register(registry);
	const running = new Map<string, number>();
	let latest = 0;
	const refresh = (now: number): void => {
		latest = Math.max(latest, now);
		let sum = 0;
		let longest = 0;
		for (const started of running.values()) {
			sum += latest - started;
			longest = Math.max(longest, latest - started);
		}
		family.unfinished.labels(name).set(sum / 1000);
		family.longest.labels(name).set(longest / 1000);
	};
	const workDuration = family.workDuration.labels(name);
	return {
		depth: family.depth.labels(name),
		adds: family.adds.labels(name),
		retries: family.retries.labels(name),
		queueDuration: family.queueDuration.labels(name),
		begin(key, now) {
			running.set(key, now);
			refresh(now);
		},
		end(key, now) {
			const started = running.get(key);
			running.delete(key);
			if (started !== undefined) workDuration.observe((now - started) / 1000);
			refresh(now);
		},
	};
}

function register(registry: Registry): Family {
	const base = { labelNames: ['name'] as const, registers: [registry] };
	const family: Family = {
		depth: new Gauge({ ...base, name: 'workqueue_depth', help: 'Current depth of workqueue' }),
		adds: new Counter({ ...base, name: 'workqueue_adds_total', help: 'Total number of adds handled by workqueue' }),
		retries: new Counter({ ...base, name: 'workqueue_retries_total', help: 'Total number of retries handled by workqueue' }),
		queueDuration: new Histogram({
			...base,
			name: 'workqueue_queue_duration_seconds',
			help: 'How long in seconds an item stays in workqueue before being requested',
			buckets: BUCKETS,
		}),
		workDuration: new Histogram({
			...base,
			name: 'workqueue_work_duration_seconds',
			help: 'How long in seconds processing an item from workqueue takes',
			buckets: BUCKETS,
		}),
		unfinished: new Gauge({
			...base,
			name: 'workqueue_unfinished_work_seconds',
			help: 'How many seconds of work is in progress and not yet observed by work_duration',
		}),
		longest: new Gauge({
			...base,
			name: 'workqueue_longest_running_processor_seconds',
			help: 'How many seconds the longest running processor for workqueue has been running',
		}),
	};
	families.set(registry, family);
	return family;
}
