/** Metrics in the Prometheus text form: one registry a component, handed in like the Clock. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

export { Count, SeriesCounter } from './counter.ts';
export { Series, SeriesHistogram } from './histogram.ts';
export { Counter, Gauge, Histogram, Registry };

/** A registry of its own, so that several components (and tests) in one process do not collide. */
export function createMetrics(): Registry {
	return new Registry();
}

/** Upstream's default latency buckets, seconds (component-base metrics.DefBuckets). */
export const DEFAULT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
