/** The OpenID Connect issuers that are believed now; others may take their place while the server runs. */
import { invalidValue } from '../../../../api/field-error.ts';
import { withDeadline } from '../../../../base/abort.ts';
import { retrying } from '../../../../base/backoff.ts';
import type { Clock } from '../../../../base/clock.ts';
import { AppError } from '../../../../base/errors.ts';
import type { TokenAuthenticator, TokenIdentity } from '../token-authenticator.ts';
import type { JwtAuthenticator } from './jwt-authenticator.ts';
import type { JwtMetrics } from './jwt-metrics.ts';
import { JwtTokens } from './jwt-tokens.ts';

/** Upstream's interval between attempts to reach an issuer. */
const AGAIN = { initialMs: 10_000, maxMs: 10_000 };
/** New issuers must have shown their keys by then (upstream's UpdateAuthenticationConfigTimeout). */
const READY_MS = 15_000;
/** Requests that began with the former ones may end with them. */
const LINGER_MS = 60_000;

export interface JwtIssuersOptions {
	/** The API server's own: tokens of service accounts are nobody else's. */
	readonly disallowed?: readonly string[];
	readonly metrics?: JwtMetrics | undefined;
}

export class JwtIssuers implements TokenAuthenticator, Disposable {
	readonly #clock: Clock;
	readonly #options: JwtIssuersOptions;
	readonly #stop = new AbortController();
	#current: readonly JwtTokens[];

	/** AppError InvalidArgument for expressions that do not compile, and for issuers that are disallowed. */
	constructor(issuers: readonly JwtAuthenticator[], clock: Clock, options: JwtIssuersOptions = {}) {
		this.#clock = clock;
		this.#options = options;
		this.#current = this.#make(issuers);
	}

	/** Asks for all issuers' keys before the first token comes, and again until they are there. */
	begin(): void {
		const { signal } = this.#stop;
		for (const one of this.#current)
			void retrying(
				this.#clock,
				AGAIN,
				signal,
				() => one.ready(signal),
				() => this.#current.includes(one),
			).catch(() => undefined);
	}

	async authenticateToken(token: string, audiences: readonly string[], signal: AbortSignal): Promise<TokenIdentity | undefined> {
		for (const issuer of this.#current) {
			const identity = await issuer.authenticateToken(token, audiences, signal);
			if (identity !== undefined) return identity;
		}
		return undefined;
	}

	recallToken(token: string, audiences: readonly string[]): TokenIdentity | undefined {
		for (const issuer of this.#current) {
			const identity = issuer.recallToken(token, audiences);
			if (identity !== undefined) return identity;
		}
		return undefined;
	}

	/** All of them, or none when one cannot be reached. */
	async replace(issuers: readonly JwtAuthenticator[], signal: AbortSignal): Promise<void> {
		const news = this.#make(issuers);
		try {
			using deadline = withDeadline(this.#clock, READY_MS, 'waiting for the new issuers', signal);
			await Promise.all(news.map((one) => one.ready(deadline.signal)));
		} catch (error) {
			for (const one of news) this.#retire(one);
			throw error;
		}
		const former = this.#current;
		this.#current = news;
		void this.#clock
			.sleep(LINGER_MS, this.#stop.signal)
			.catch(() => undefined)
			.finally(() => former.forEach((one) => this.#retire(one)));
	}

	#make(issuers: readonly JwtAuthenticator[]): readonly JwtTokens[] {
		const { disallowed = [], metrics } = this.#options;
		return issuers.map((one, i) => {
			const { url } = one.issuer;
			if (disallowed.includes(url)) {
				const overlap = `URL must not overlap with disallowed issuers: [${disallowed.toSorted().join(' ')}]`;
				const { field, message } = invalidValue(`jwt[${i}].issuer.url`, url, overlap);
				throw new AppError('InvalidArgument', `invalid authentication configuration: ${field}: ${message}`);
			}
			return new JwtTokens(one, this.#clock, metrics);
		});
	}

	#retire(former: JwtTokens): void {
		former[Symbol.dispose]();
		if (!this.#current.some(({ issuer }) => issuer === former.issuer)) this.#options.metrics?.forget(former.issuer);
	}

	[Symbol.dispose](): void {
		this.#stop.abort();
		for (const one of this.#current) one[Symbol.dispose]();
	}
}
