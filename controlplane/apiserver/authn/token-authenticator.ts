/** What authenticates a bearer token, for requests and for TokenReview alike. */
import type { UserInfo } from '../contracts.ts';

export interface TokenIdentity {
	readonly user: UserInfo;
	/** Those of the asked audiences that the token is meant for; empty where the token knows no audiences. */
	readonly audiences: readonly string[];
}

export interface TokenAuthenticator {
	/** Undefined: no token of mine. Throws AppError Unauthenticated, saying why, for one of mine that is not good. */
	authenticateToken(token: string, audiences: readonly string[], signal: AbortSignal): Promise<TokenIdentity | undefined>;
	/** What `authenticateToken` would answer, at once: for a token seen before that is still good. Undefined: ask it. */
	recallToken?(token: string, audiences: readonly string[]): TokenIdentity | undefined;
}
