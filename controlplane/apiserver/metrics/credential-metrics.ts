/** How long client certificates still last, and how often tokens were known already, under upstream's names. */
import type { Clock } from '../../../base/clock.ts';
import { Counter, DEFAULT_BUCKETS, Gauge, SeriesHistogram, type Registry, type Series } from '../../../base/metrics.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const LEFT = [0, HOUR / 2, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 4 * DAY, 7 * DAY, 30 * DAY, 90 * DAY, 180 * DAY, 360 * DAY];

type Found = 'hit' | 'miss';
type Fetched = 'ok' | 'error';

export class CredentialMetrics {
	readonly #clock: Clock;
	readonly #left: Series;
	readonly #found: Readonly<Record<Found, { count: number; readonly seconds: Series }>>;
	readonly #fetched: Record<Fetched, number> = { ok: 0, error: 0 };
	#fetching = 0;

	constructor(registry: Registry, clock: Clock) {
		this.#clock = clock;
		const registers = [registry];
		this.#left = new SeriesHistogram({
			name: 'apiserver_client_certificate_expiration_seconds',
			help: 'Distribution of the remaining lifetime on the certificate used to authenticate a request.',
			...{ buckets: LEFT, registers },
		}).series({});
		const seconds = new SeriesHistogram({
			...{ name: 'authentication_token_cache_request_duration_seconds', help: '', buckets: DEFAULT_BUCKETS, registers },
		});
		const found = (status: Found) => ({ count: 0, seconds: seconds.series({ status }) });
		this.#found = { hit: found('hit'), miss: found('miss') };
		const [all, fetched] = [this.#found, this.#fetched];
		new Counter<'status'>({
			...{ name: 'authentication_token_cache_request_total', help: 'Tokens that were to be authenticated, by whether they were known.' },
			...{ labelNames: ['status'], registers },
			collect() {
				for (const [status, kept] of Object.entries(all)) {
					if (kept.count > 0) this.inc({ status }, kept.count);
					kept.count = 0;
				}
			},
		});
		new Counter<'status'>({
			...{ name: 'authentication_token_cache_fetch_total', help: 'Tokens that had to be verified, by outcome.' },
			...{ labelNames: ['status'], registers },
			collect() {
				for (const status of ['ok', 'error'] as const) {
					if (fetched[status] > 0) this.inc({ status }, fetched[status]);
					fetched[status] = 0;
				}
			},
		});
		const fetching = (): number => this.#fetching;
		new Gauge<'status'>({
			...{ name: 'authentication_token_cache_active_fetch_count', help: 'Tokens that are being verified.' },
			...{ labelNames: ['status'], registers },
			collect() {
				this.set({ status: 'in_flight' }, fetching());
				this.set({ status: 'blocked' }, 0); // nobody waits for another one's verification
			},
		});
	}

	/** A request came with a certificate that lasts until then (milliseconds since the epoch). */
	certificate(until: number): void {
		this.#left.observe((until - this.#clock.now()) / 1000);
	}

	/** A token that was good before and still is. */
	known(): void {
		this.#found.hit.count++;
		this.#found.hit.seconds.observe(0);
	}

	/** Verifies a token, whose answer is good or not. */
	async fetched<T extends { readonly good: boolean }>(verify: () => Promise<T>): Promise<T> {
		const started = this.#clock.monotonic();
		let outcome: Fetched = 'error';
		this.#fetching++;
		try {
			const verdict = await verify();
			if (verdict.good) outcome = 'ok';
			return verdict;
		} finally {
			this.#fetching--;
			this.#fetched[outcome]++;
			this.#found.miss.count++;
			this.#found.miss.seconds.observe((this.#clock.monotonic() - started) / 1000);
		}
	}
}
