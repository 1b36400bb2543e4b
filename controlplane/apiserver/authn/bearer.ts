/** Bearer tokens of the Authorization header. */
import { messageOf } from '../../../base/errors.ts';
import { unauthorized } from '../../../api/status.ts';
import type { Authenticator, Credentials, UserInfo } from '../contracts.ts';
import type { CredentialMetrics } from '../metrics/credential-metrics.ts';
import { mayKeep } from './compact-token.ts';
import type { TokenAuthenticator, TokenIdentity } from './token-authenticator.ts';

const MAX_TOKENS = 4096;

export type TokenVerdict =
	| { readonly good: true; readonly identity: TokenIdentity }
	| { readonly good: false; readonly errors: readonly string[] };

/** Asks each authenticator in turn; the reasons of those that refused are kept for TokenReview. */
export async function reviewToken(
	authenticators: readonly TokenAuthenticator[],
	token: string,
	audiences: readonly string[],
	signal: AbortSignal,
): Promise<TokenVerdict> {
	const errors = ['invalid bearer token'];
	for (const authenticator of authenticators) {
		try {
			const identity = await authenticator.authenticateToken(token, audiences, signal);
			if (identity !== undefined) return { good: true, identity };
		} catch (error) {
			errors.push(messageOf(error));
		}
	}
	return { good: false, errors };
}

export class BearerAuthenticator implements Authenticator {
	readonly #authenticators: readonly TokenAuthenticator[];
	readonly #audiences: readonly string[];
	readonly #metrics: CredentialMetrics | undefined;
	/** Tokens that were good, by the whole header. */
	readonly #tokens = new Map<string, string>();

	/** @param audiences those of the API server itself */
	constructor(authenticators: readonly TokenAuthenticator[], audiences: readonly string[], metrics?: CredentialMetrics) {
		this.#authenticators = authenticators;
		this.#audiences = audiences;
		this.#metrics = metrics;
	}

	async authenticate(credentials: Credentials, signal: AbortSignal): Promise<UserInfo | undefined> {
		const token = bearerIn(credentials.headers['authorization']);
		if (token === undefined) return undefined;
		const review = (): Promise<TokenVerdict> => reviewToken(this.#authenticators, token, this.#audiences, signal);
		const verdict = await (this.#metrics?.fetched(review) ?? review());
		if (!verdict.good) throw unauthorized();
		const { authorization } = credentials.headers;
		if (authorization !== undefined && mayKeep(authorization)) {
			if (this.#tokens.size >= MAX_TOKENS) this.#tokens.clear();
			this.#tokens.set(authorization, token);
		}
		return verdict.identity.user;
	}

	recall({ headers, authorization = headers['authorization'] }: Credentials): UserInfo | 'not mine' | undefined {
		if (authorization === undefined) return 'not mine';
		const token = this.#tokens.get(authorization);
		if (token === undefined) return undefined;
		for (const authenticator of this.#authenticators) {
			const identity = authenticator.recallToken?.(token, this.#audiences);
			if (identity === undefined) continue;
			this.#metrics?.known();
			return identity.user;
		}
		return undefined;
	}
}

/** What clients are told of a header that says nothing for it. */
export const MISPLACED = 'the provided Authorization header contains extra space before the bearer token, and is ignored';

/** Whether there is a space too many before the token, which so is none. */
export function isMisplaced(authorization: string | undefined): boolean {
	const [scheme = '', bearer, rest] = (authorization ?? '').trim().split(' ');
	return scheme.toLowerCase() === 'bearer' && bearer === '' && rest !== undefined;
}

/** The token of an Authorization header, as upstream cuts it: one space before the token, and what follows a second one is not looked at. */
export function bearerIn(authorization: string | undefined): string | undefined {
	const [scheme = '', bearer = ''] = (authorization ?? '').trim().split(' ');
	return scheme.toLowerCase() === 'bearer' && bearer !== '' ? bearer : undefined;
}
