/** A histogram of how long something stood at each share of a whole: one observation a nanosecond, as upstream's TimingRatioHistogram. */
import type { Metric } from 'prom-client';
import type { Registry } from '../../../base/metrics.ts';
import type { ShareTimes } from './share-times.ts';

export interface TimedSeries {
	readonly labels: Readonly<Record<string, string>>;
	readonly times: ShareTimes;
}

export function timingHistogram(
	registers: readonly Registry[],
	name: string,
	help: string,
	now: () => number,
	read: () => readonly TimedSeries[],
): void {
	const metric = {
		name,
		get: () =>
			Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values: read().flatMap((s) => [...samples(name, s, now())]) }),
		reset: () => undefined,
	};
	for (const registry of registers) registry.registerMetric(metric as unknown as Metric);
}

function* samples(name: string, { labels, times }: TimedSeries, now: number): Generator<object> {
	const { slots, sum } = times.read(now);
	let all = 0;
	for (const [i, bound] of [...times.buckets, '+Inf'].entries()) {
		all += Math.round(slots[i] as number);
		yield { metricName: `${name}_bucket`, labels: { le: bound, ...labels }, value: all };
	}
	yield { metricName: `${name}_sum`, labels, value: sum };
	yield { metricName: `${name}_count`, labels, value: all };
}
