/** What autoscalers do, under upstream's names (horizontal_pod_autoscaler_controller_*). */
import { Counter, Gauge, Registry, SeriesHistogram, type Series } from '../../../base/metrics.ts';

export type ErrorLabel = 'none' | 'spec' | 'internal';
export type ActionLabel = 'none' | 'scale_up' | 'scale_down';

/** A millisecond, doubled fourteen times. */
const SECONDS = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);
const PREFIX = 'horizontal_pod_autoscaler_controller_';

class Timed<L extends string> {
	readonly #total: Counter<L>;
	readonly #seconds: SeriesHistogram;
	readonly #series = new Map<string, Series>();

	constructor(registers: Registry[], total: readonly [string, string], seconds: readonly [string, string], labelNames: readonly L[]) {
		this.#total = new Counter({ name: `${PREFIX}${total[0]}`, help: total[1], labelNames, registers });
		this.#seconds = new SeriesHistogram({ name: `${PREFIX}${seconds[0]}`, help: seconds[1], buckets: SECONDS, registers });
	}

	observe(labels: Record<L, string>, ms: number): void {
		this.#total.inc(labels as never);
		const key = Object.values(labels).join();
		let series = this.#series.get(key);
		if (series === undefined) this.#series.set(key, (series = this.#seconds.series(labels)));
		series.observe(ms / 1000);
	}
}

export class AutoscalerMetrics {
	readonly #reconciled: Timed<'action' | 'error'>;
	readonly #computed: Timed<'action' | 'error' | 'metric_type'>;
	readonly #desired: Gauge<'namespace' | 'hpa_name'>;

	/** @param count how many autoscalers there are */
	constructor(count: () => number, registry = new Registry()) {
		const registers = [registry];
		this.#reconciled = new Timed(
			registers,
			['reconciliations_total', 'Number of reconciliations of HPA controller.'],
			['reconciliation_duration_seconds', 'The time(seconds) that the HPA controller takes to reconcile once.'],
			['action', 'error'],
		);
		this.#computed = new Timed(
			registers,
			['metric_computation_total', 'Number of metric computations.'],
			['metric_computation_duration_seconds', 'The time(seconds) that the HPA controller takes to calculate one metric.'],
			['action', 'error', 'metric_type'],
		);
		this.#desired = new Gauge({
			...{ name: `${PREFIX}desired_replicas`, labelNames: ['namespace', 'hpa_name'], registers },
			help: 'Current desired replica count for HPA objects.',
		});
		new Gauge({
			...{ name: `${PREFIX}num_horizontal_pod_autoscalers`, help: 'Current number of controlled HPA objects.', registers },
			collect() {
				this.set(count());
			},
		});
	}

	reconciled(action: ActionLabel, error: ErrorLabel, ms: number): void {
		this.#reconciled.observe({ action, error }, ms);
	}

	/** @param current what the status said before */
	computed(metricType: string, replicas: number | undefined, current: number, error: ErrorLabel, ms: number): void {
		this.#computed.observe({ action: replicas === undefined ? 'none' : actionOf(current, replicas), error, metric_type: metricType }, ms);
	}

	desired(namespace: string, name: string, replicas: number): void {
		this.#desired.set({ namespace, hpa_name: name }, replicas);
	}
}

export function actionOf(from: number, to: number): ActionLabel {
	if (to === from) return 'none';
	return to > from ? 'scale_up' : 'scale_down';
}
