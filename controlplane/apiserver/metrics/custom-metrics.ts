/** Custom resources under upstream's names: how conversions by webhook went, and how long expressions of schemas took. */
import type { RuleObserver } from '../../../api/structural/cel-rules.ts';
import type { Clock } from '../../../base/clock.ts';
import { Counter, DEFAULT_BUCKETS, SeriesHistogram, type Registry, type Series } from '../../../base/metrics.ts';

/** Upstream's words for what may go wrong, without `conversion_webhook_` and `_failure`. */
export type ConversionFailure = 'call' | 'malformed_response' | 'partial_response' | 'invalid_converted_object';

export interface Conversion {
	readonly definition: string;
	readonly from: string;
	readonly to: string;
}

const WEBHOOK_SECONDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60];
const CONVERSION_SECONDS = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);

export class CustomMetrics {
	readonly rules: RuleObserver;
	readonly #clock: Clock;
	readonly #requests: Counter<'result' | 'failure_type'>;
	readonly #webhooks: SeriesHistogram;
	readonly #conversions: SeriesHistogram;
	readonly #known = new Map<string, Series>();

	constructor(registry: Registry, clock: Clock) {
		this.#clock = clock;
		const registers = [registry];
		this.#requests = new Counter({
			name: 'apiserver_conversion_webhook_request_total',
			help: 'Counter for conversion webhook requests with success/failure and failure error type',
			...{ labelNames: ['result', 'failure_type'] as const, registers },
		});
		this.#webhooks = new SeriesHistogram({
			name: 'apiserver_conversion_webhook_duration_seconds',
			help: 'Conversion webhook request latency',
			...{ buckets: WEBHOOK_SECONDS, registers },
		});
		this.#conversions = new SeriesHistogram({
			name: 'apiserver_crd_conversion_webhook_duration_seconds',
			help: 'CRD webhook conversion duration in seconds',
			...{ buckets: CONVERSION_SECONDS, registers },
		});
		const expressions = (what: string, help: string): Series =>
			new SeriesHistogram({ name: `apiserver_cel_${what}_duration_seconds`, help, buckets: DEFAULT_BUCKETS, registers }).series({});
		const compiled = expressions('compilation', 'CEL compilation time in seconds.');
		const evaluated = expressions('evaluation', 'CEL evaluation time in seconds.');
		this.rules = {
			now: () => clock.monotonic(),
			compiled: (ms) => compiled.observe(ms / 1000),
			evaluated: (ms) => evaluated.observe(ms / 1000),
		};
	}

	/** Begins to measure a conversion; what is called with its end, once. */
	conversion({ definition, from, to }: Conversion): (failure?: ConversionFailure) => void {
		const began = this.#clock.monotonic();
		return (failure) => {
			const seconds = (this.#clock.monotonic() - began) / 1000;
			const failed = failure !== undefined;
			const labels = {
				failure_type: failed ? `conversion_webhook_${failure}_failure` : '',
				result: failed ? 'failure' : 'success',
			};
			this.#requests.inc(labels);
			this.#series(this.#webhooks, labels).observe(seconds);
			const of = { crd_name: definition, from_version: from, succeeded: String(!failed), to_version: to };
			this.#series(this.#conversions, of).observe(seconds);
		};
	}

	#series(histogram: SeriesHistogram, labels: Readonly<Record<string, string>>): Series {
		const key = Object.values(labels).join(' ');
		let series = this.#known.get(key);
		if (series === undefined) {
			series = histogram.series(labels);
			this.#known.set(key, series);
		}
		return series;
	}
}
