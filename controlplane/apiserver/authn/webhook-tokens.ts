/** A service that says whom a token stands for, asked by TokenReviews; what it said is kept for a while (upstream's authenticator/token/webhook). */
import { hash } from 'node:crypto';
import type { TokenReview, TokenReviewStatus } from '../../../api/gen/types.ts';
import { abortable, withDeadline } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import { reviewIn } from '../webhook/review-answer.ts';
import type { Remote } from '../webhook/remote.ts';
import type { TokenAuthenticator, TokenIdentity } from './token-authenticator.ts';

export interface WebhookTokenOptions {
	/** Of the TokenReviews that are sent. */
	readonly version: 'v1' | 'v1beta1';
	readonly cacheMs: number;
	/** The API server's own, for which a service that knows none speaks. */
	readonly audiences: readonly string[];
}

/** Upstream's defaultRequestTimeout of webhooks. */
const TIMEOUT_MS = 30_000;
/** Several requests may wait for one answer: none of them ends the question (upstream's sharedLookupTimeout). */
const SHARED_MS = 30_000;
const MAX_KEPT = 4096;

/** What was found out about a token: an identity, or that it is none of the service's. */
interface Kept {
	readonly until: number;
	readonly identity: TokenIdentity | undefined;
}

export class WebhookTokens implements TokenAuthenticator {
	readonly #options: WebhookTokenOptions;
	readonly #remote: Remote;
	readonly #clock: Clock;
	readonly #kept = new Map<string, Kept>();
	/** Questions on their way: the same one is not asked twice. */
	readonly #asking = new Map<string, Promise<TokenIdentity | undefined>>();

	constructor(options: WebhookTokenOptions, remote: Remote, clock: Clock) {
		this.#options = options;
		this.#remote = remote;
		this.#clock = clock;
	}

	/** AppError Unauthenticated says why a token is no good, or why nobody could say. */
	authenticateToken(token: string, audiences: readonly string[], signal: AbortSignal): Promise<TokenIdentity | undefined> {
		const key = keyOf(token, audiences);
		const kept = this.#recall(key);
		if (kept !== undefined) return Promise.resolve(kept.identity);
		let asking = this.#asking.get(key);
		if (asking === undefined) {
			asking = this.#ask(token, audiences, key).finally(() => this.#asking.delete(key));
			this.#asking.set(key, asking);
		}
		return abortable(asking, signal);
	}

	recallToken(token: string, audiences: readonly string[]): TokenIdentity | undefined {
		return this.#recall(keyOf(token, audiences))?.identity;
	}

	#recall(key: string): Kept | undefined {
		const kept = this.#kept.get(key);
		return kept !== undefined && this.#clock.monotonic() < kept.until ? kept : undefined;
	}

	async #ask(token: string, audiences: readonly string[], key: string): Promise<TokenIdentity | undefined> {
		const { version, cacheMs } = this.#options;
		const review = {
			kind: 'TokenReview',
			apiVersion: `authentication.k8s.io/${version}`,
			metadata: {},
			spec: { token, ...(audiences.length === 0 ? {} : { audiences }) },
			status: { user: {} },
		};
		using deadline = withDeadline(this.#clock, SHARED_MS, 'reviewing a token');
		let status: TokenReviewStatus | undefined;
		try {
			({ status } = reviewIn(await this.#remote.post(review, TIMEOUT_MS, deadline.signal), review) as Partial<TokenReview>);
		} catch (cause) {
			throw new AppError('Unauthenticated', messageOf(cause), { cause });
		}
		const { error = '', authenticated = false } = status ?? {};
		const found = identityOf(status ?? {}, audiences, this.#options.audiences);
		// Of one that is meant for others nothing else is said.
		const isForUs = audiences.length === 0 || found.audiences.length > 0;
		if (isForUs && !authenticated && error !== '') throw new AppError('Unauthenticated', error);
		const identity = isForUs && authenticated ? found : undefined;
		this.#keep(key, { until: this.#clock.monotonic() + cacheMs, identity });
		return identity;
	}

	#keep(key: string, kept: Kept): void {
		if (kept.until <= this.#clock.monotonic()) return;
		if (this.#kept.size >= MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value ?? '');
		this.#kept.set(key, kept);
	}
}

function identityOf({ user = {}, audiences = [] }: TokenReviewStatus, asked: readonly string[], own: readonly string[]): TokenIdentity {
	const { username = '', uid = '', groups = [], extra = {} } = user;
	const good = audiences.length === 0 ? own : audiences;
	return { user: { name: username, uid, groups, extra }, audiences: asked.filter((audience) => good.includes(audience)) };
}

/** Not the token itself: what lies in memory for long should open nothing. */
function keyOf(token: string, audiences: readonly string[]): string {
	return hash('sha256', JSON.stringify([token, audiences]), 'base64');
}
