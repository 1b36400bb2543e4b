/** How requests to the API server went, under the names that client-go has for them. One for each registry; it measures any number of transports. */
import type { Clock } from '../base/clock.ts';
import { SeriesCounter, SeriesHistogram, type Count, type Registry, type Series } from '../base/metrics.ts';
import { followed } from './followed-body.ts';
import type { Transport, TransportRequest } from './transport.ts';

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const BYTES = [64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];
/** client-go's word where no answer came. */
const NO_ANSWER = '<error>';

export class TransportMetrics {
	readonly #clock: Clock;
	readonly #seconds: ByVerb;
	readonly #waits: ByVerb;
	readonly #sent: ByVerb;
	readonly #received: ByVerb;
	readonly #counter: SeriesCounter;
	readonly #requests = new Map<string, Count>();

	constructor(registry: Registry, clock: Clock) {
		this.#clock = clock;
		const registers = [registry];
		this.#counter = new SeriesCounter({
			name: 'rest_client_requests_total',
			help: '[ALPHA] Number of HTTP requests, partitioned by status code, method, and host.',
			registers,
		});
		this.#seconds = byVerb(registry, 'request_duration_seconds', 'Request latency in seconds. Broken down by verb, and host.', SECONDS);
		const waits = 'Client side rate limiter latency in seconds. Broken down by verb, and host.';
		this.#waits = byVerb(registry, 'rate_limiter_duration_seconds', waits, SECONDS);
		this.#sent = byVerb(registry, 'request_size_bytes', 'Request size in bytes. Broken down by verb and host.', BYTES);
		this.#received = byVerb(registry, 'response_size_bytes', 'Response size in bytes. Broken down by verb and host.', BYTES);
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
					if (isWatch(request)) return answer;
					this.#sent(host, method).observe(Buffer.byteLength(request.body ?? ''));
					return { ...answer, body: this.#weighed(answer.body, host, method) };
				} finally {
					this.#count(host, method, code);
					this.#seconds(host, method).observe((this.#clock.monotonic() - started) / 1000);
				}
			},
			upgrade: (request, signal) => transport.upgrade(request, signal),
			close: () => transport.close(),
			waited: (method, ms) => this.#waits(host, method).observe(ms / 1000),
		};
	}

	/** @param method what asked for it */
	#weighed(body: AsyncIterable<Uint8Array>, host: string, method: string): AsyncIterable<Uint8Array> {
		let bytes = 0;
		return followed(body, {
			piece: ({ byteLength }) => (bytes += byteLength),
			whole: () => this.#received(host, method).observe(bytes),
		});
	}

	#count(host: string, method: string, code: string): void {
		const key = `${method} ${code} ${host}`;
		let count = this.#requests.get(key);
		if (count === undefined) this.#requests.set(key, (count = this.#counter.series({ code, host, method })));
		count.value++;
	}
}

type ByVerb = (host: string, verb: string) => Series;

function byVerb(registry: Registry, name: string, help: string, buckets: readonly number[]): ByVerb {
	const histogram = new SeriesHistogram({ name: `rest_client_${name}`, help: `[ALPHA] ${help}`, buckets, registers: [registry] });
	const known = new Map<string, Series>();
	return (host, verb) => {
		const key = `${verb} ${host}`;
		let series = known.get(key);
		if (series === undefined) known.set(key, (series = histogram.series({ host, verb })));
		return series;
	};
}

/** client-go measures what has an end. */
function isWatch({ takesEvents, path }: TransportRequest): boolean {
	return takesEvents === true || /[?&]watch=(?:1|true)/.test(path);
}
