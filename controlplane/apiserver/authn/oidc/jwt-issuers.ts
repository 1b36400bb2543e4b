/** The OpenID Connect issuers that are believed now; others may take their place while the server runs. */
import { withDeadline } from '../../../../base/abort.ts';
import type { Clock } from '../../../../base/clock.ts';
import type { TokenAuthenticator, TokenIdentity } from '../token-authenticator.ts';
import type { JwtAuthenticator } from './jwt-authenticator.ts';
import { JwtTokens } from './jwt-tokens.ts';

/** New issuers must have shown their keys by then (upstream's UpdateAuthenticationConfigTimeout). */
const READY_MS = 15_000;
/** Requests that began with the former ones may end with them. */
const LINGER_MS = 60_000;

export class JwtIssuers implements TokenAuthenticator, Disposable {
	readonly #clock: Clock;
	readonly #stop = new AbortController();
	#current: readonly JwtTokens[];

	/** AppError InvalidArgument for expressions that do not compile. */
	constructor(issuers: readonly JwtAuthenticator[], clock: Clock) {
		this.#clock = clock;
		this.#current = issuers.map((one) => new JwtTokens(one, clock));
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
		const news = issuers.map((one) => new JwtTokens(one, this.#clock));
		try {
			using deadline = withDeadline(this.#clock, READY_MS, 'waiting for the new issuers', signal);
			await Promise.all(news.map((one) => one.ready(deadline.signal)));
		} catch (error) {
			for (const one of news) one[Symbol.dispose]();
			throw error;
		}
		const former = this.#current;
		this.#current = news;
		void this.#clock
			.sleep(LINGER_MS, this.#stop.signal)
			.catch(() => undefined)
			.finally(() => former.forEach((one) => one[Symbol.dispose]()));
	}

	[Symbol.dispose](): void {
		this.#stop.abort();
		for (const one of this.#current) one[Symbol.dispose]();
	}
}
