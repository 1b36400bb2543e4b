/** Tokens of an OpenID Connect issuer: verified with its keys, checked by the rules, and made a user of (upstream's authenticator/token/oidc). */
import { decodeJwt, errors, jwtVerify, type JWTPayload, type JWTVerifyOptions } from 'jose';
import type { Clock } from '../../../../base/clock.ts';
import { AppError, messageOf } from '../../../../base/errors.ts';
import type { TokenAuthenticator, TokenIdentity } from '../token-authenticator.ts';
import { DistributedClaims } from './distributed-claims.ts';
import type { JwtAuthenticator } from './jwt-authenticator.ts';
import { compileMappings, type Mappings } from './expressions.ts';
import { OidcProvider } from './provider.ts';
import { checkClaims, userOf } from './users.ts';

/** Upstream's --oidc-signing-algs allows these; of AuthenticationConfiguration all asymmetric ones are good. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'];
const MAX_KEPT = 4096;

interface Kept {
	readonly identity: TokenIdentity;
	readonly expiresAt: number;
}

export class JwtTokens implements TokenAuthenticator, Disposable {
	readonly #authenticator: JwtAuthenticator;
	readonly #mappings: Mappings;
	readonly #provider: OidcProvider;
	readonly #distributed: DistributedClaims;
	readonly #clock: Clock;
	readonly #kept = new Map<string, Kept>();

	constructor(authenticator: JwtAuthenticator, clock: Clock) {
		this.#authenticator = authenticator;
		this.#mappings = compileMappings(authenticator);
		this.#provider = new OidcProvider(authenticator.issuer, clock);
		this.#distributed = new DistributedClaims(authenticator.issuer, clock);
		this.#clock = clock;
	}

	async authenticateToken(token: string, audiences: readonly string[], signal: AbortSignal): Promise<TokenIdentity | undefined> {
		const kept = this.recallToken(token, audiences);
		if (kept !== undefined) return kept;
		const { issuer } = this.#authenticator;
		try {
			if (decodeJwt(token).iss !== issuer.url) return undefined;
		} catch {
			return undefined;
		}
		const own = await this.#verify(token, signal);
		const { claim = '' } = this.#authenticator.claimMappings.groups ?? {};
		const claims = claim === '' ? own : await this.#distributed.expand(own, claim, this.#verifying(), signal);
		checkClaims(this.#authenticator, this.#mappings, claims);
		const user = userOf(this.#authenticator, this.#mappings, claims);
		// Who has proven it to this server is meant for what the server is.
		const identity: TokenIdentity = { user, audiences };
		if (this.#kept.size >= MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value ?? '');
		this.#kept.set(token, { identity, expiresAt: (claims.exp ?? 0) * 1000 });
		return identity;
	}

	recallToken(token: string, audiences: readonly string[]): TokenIdentity | undefined {
		const kept = this.#kept.get(token);
		if (kept === undefined || kept.expiresAt <= this.#clock.now()) return undefined;
		return { ...kept.identity, audiences };
	}

	/** Once the issuer's keys are there. AppError Unavailable. */
	async ready(signal: AbortSignal): Promise<void> {
		await this.#provider.keys(signal);
	}

	[Symbol.dispose](): void {
		this.#provider[Symbol.dispose]();
		this.#distributed[Symbol.dispose]();
	}

	/** What every token of this issuer, and those it refers to, must be. */
	#verifying(): JWTVerifyOptions {
		const { issuer, signingAlgorithms } = this.#authenticator;
		return { audience: [...issuer.audiences], algorithms: [...(signingAlgorithms ?? ALGORITHMS)], requiredClaims: ['exp'] };
	}

	async #verify(token: string, signal: AbortSignal): Promise<JWTPayload> {
		const { issuer } = this.#authenticator;
		const options = { ...this.#verifying(), issuer: issuer.url, currentDate: new Date(this.#clock.now()) };
		try {
			try {
				return (await jwtVerify(token, await this.#provider.keys(signal), options)).payload;
			} catch (error) {
				if (!(error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed)) throw error;
				const newer = await this.#provider.newerKeys(signal);
				if (newer === undefined) throw error;
				return (await jwtVerify(token, newer, options)).payload;
			}
		} catch (cause) {
			throw new AppError('Unauthenticated', `oidc: verify token: ${messageOf(cause)}`, { cause });
		}
	}
}
