/** A histogram of how long something stood at each share of a whole: one observation a nanosecond, as upstream's TimingRatioHistogram. */
import type { Metric } from 'prom-client';
import type { Registry } from '../../../base/metrics.ts';

export interface TimedSeries {
	readonly labels: Readonly<Record<string, string>>;
	readonly times: Iterable<readonly [count: number, ms: number]>;
	/** What a count is a share of; at least 1. */
	readonly whole: number;
}

export function timingHistogram(
	registers: readonly Registry[],
	name: string,
	help: string,
	buckets: readonly number[],
	read: () => readonly TimedSeries[],
): void {
	const metric = {
		name,
		get: () =>
			Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values: read().flatMap((s) => [...samples(name, buckets, s)]) }),
		reset: () => undefined,
	};
	for (const registry of registers) registry.registerMetric(metric as unknown as Metric);
}

function* samples(name: string, buckets: readonly number[], { labels, times, whole }: TimedSeries): Generator<object> {
	const counts = Array.from({ length: buckets.length + 1 }, () => 0);
	let sum = 0;
	for (const [count, ms] of times) {
		const ratio = count / Math.max(1, whole);
		const at = buckets.findIndex((bound) => ratio <= bound);
		const slot = at < 0 ? buckets.length : at;
		counts[slot] = (counts[slot] as number) + ms * 1e6;
		sum += ratio * ms * 1e6;
	}
	let all = 0;
	for (const [i, bound] of [...buckets, '+Inf'].entries()) {
		all += Math.round(counts[i] as number);
		yield { metricName: `${name}_bucket`, labels: { le: bound, ...labels }, value: all };
	}
	yield { metricName: `${name}_sum`, labels, value: sum };
	yield { metricName: `${name}_count`, labels, value: all };
}
