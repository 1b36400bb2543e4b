/** How requests to the API server went, under the names that client-go has for them. One for each registry; it measures any number of transports. */
import type { Clock } from '../base/clock.ts';
import { SeriesCounter, SeriesHistogram, type Count, type Registry, type Series } from '../base/metrics.ts';
import type { Transport } from './transport.ts';

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
/** client-go's word where no answer came. */
const NO_ANSWER = '<error>';

export class TransportMetrics {
	readonly #clock: Clock;
	readonly #seconds: SeriesHistogram;
	readonly #latencies = new Map<string, Series>();
	readonly #counter: SeriesCounter;
	readonly #requests = new Map<string, Count>();

	constructor(registry: Registry, clock: Clock) {
		this.#clock = clock;
		const registers = [registry];
		this.#counter = new SeriesCounter({
			name: 'rest_client_requests_total',
			help: 'Number of HTTP requests, partitioned by status code, method, and host.',
			registers,
		});
		this.#seconds = new SeriesHistogram({
			name: 'rest_client_request_duration_seconds',
			help: 'Request latency in seconds. Broken down by verb, and host.',
			...{ buckets: SECONDS, registers },
		});
	}

	/** The transport, measured. @param host whom it reaches, "10.0.0.1:6443" */
	measured(transport: Transport, host: string): Transport {
		return {
			request: async (request, signal) => {
				const { method } = request;
				const started = this.#clock.monotonic();
				let code = NO_ANSWER;
				try {
					const answer = await transport.request(request, signal);
					code = String(answer.status);
					return answer;
				} finally {
					this.#count(host, method, code);
					this.#latency(host, method).observe((this.#clock.monotonic() - started) / 1000);
				}
			},
			upgrade: (request, signal) => transport.upgrade(request, signal),
			close: () => transport.close(),
		};
	}

	#count(host: string, method: string, code: string): void {
		const key = `${method} ${code} ${host}`;
		let count = this.#requests.get(key);
		if (count === undefined) this.#requests.set(key, (count = this.#counter.series({ code, host, method })));
		count.value++;
	}

	#latency(host: string, verb: string): Series {
		const key = `${verb} ${host}`;
		let series = this.#latencies.get(key);
		if (series === undefined) this.#latencies.set(key, (series = this.#seconds.series({ host, verb })));
		return series;
	}
}
