/** Tokens of an OpenID Connect issuer: verified with its keys, checked by the rules, and made a user of (upstream's authenticator/token/oidc). */
import { decodeJwt, type JWTPayload } from 'jose';
import type { Clock } from '../../../../base/clock.ts';
import { goQuote } from '../../../../api/go-quote.ts';
import { AppError, codeOf, messageOf } from '../../../../base/errors.ts';
import { compactOf, mayKeep } from '../compact-token.ts';
import type { TokenAuthenticator, TokenIdentity } from '../token-authenticator.ts';
import { DistributedClaims } from './distributed-claims.ts';
import type { JwtAuthenticator } from './jwt-authenticator.ts';
import { compileMappings, type Mappings } from './expressions.ts';
import type { JwtMetrics } from './jwt-metrics.ts';
import { OidcProvider } from './provider.ts';
import { userOf } from './users.ts';
import { issuerOf, verifyToken } from './verify-token.ts';

/** Upstream's --oidc-signing-algs allows these; of AuthenticationConfiguration all asymmetric ones are good. */
const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'];
const MAX_KEPT = 4096;
/** So long a token is not looked at again (upstream's TokenSuccessCacheTTL): its groups may be others then, or its key withdrawn. */
const KEPT_MS = 10_000;

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
	readonly #metrics: JwtMetrics | undefined;
	readonly #kept = new Map<string, Kept>();

	/** AppError InvalidArgument for what upstream refuses. */
	constructor(authenticator: JwtAuthenticator, clock: Clock, metrics?: JwtMetrics) {
		const wrong = authenticator.signingAlgorithms?.find((alg) => !ALGORITHMS.includes(alg));
		if (wrong !== undefined) throw new AppError('InvalidArgument', `oidc: unsupported signing alg: ${goQuote(wrong)}`);
		this.#authenticator = authenticator;
		this.#mappings = compileMappings(authenticator);
		this.#provider = new OidcProvider(authenticator.issuer, clock, metrics);
		this.#distributed = new DistributedClaims(authenticator.issuer, clock);
		this.#clock = clock;
		this.#metrics = metrics;
	}

	get issuer(): string {
		return this.#authenticator.issuer.url;
	}

	async authenticateToken(given: string, audiences: readonly string[], signal: AbortSignal): Promise<TokenIdentity | undefined> {
		const kept = this.recallToken(given, audiences);
		if (kept !== undefined) return kept;
		const token = compactOf(given);
		if (token === undefined) return undefined;
		try {
			if (issuerOf(decodeJwt(token).iss) !== this.issuer) return undefined;
		} catch {
			return undefined;
		}
		const started = this.#clock.monotonic();
		const ended = (result: 'success' | 'failure'): void =>
			this.#metrics?.authenticated(this.issuer, result, (this.#clock.monotonic() - started) / 1000);
		try {
			const claims = await this.#claims(token, signal);
			const identity: TokenIdentity = { user: userOf(this.#authenticator, this.#mappings, claims), audiences };
			const now = this.#clock.now();
			if (mayKeep(token)) this.#keep(token, { identity, expiresAt: Math.min((claims.exp ?? 0) * 1000, now + KEPT_MS) });
			ended('success');
			return identity;
		} catch (error) {
			ended('failure');
			throw error;
		}
	}

	recallToken(token: string, audiences: readonly string[]): TokenIdentity | undefined {
		const kept = this.#kept.get(token);
		if (kept === undefined || kept.expiresAt <= this.#clock.now()) return undefined;
		return { ...kept.identity, audiences };
	}

	#keep(token: string, kept: Kept): void {
		if (this.#kept.size >= MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value ?? '');
		this.#kept.set(token, kept);
	}

	/** Once the issuer's keys are there. AppError Unavailable. */
	async ready(signal: AbortSignal): Promise<void> {
		await this.#provider.load(signal);
	}

	[Symbol.dispose](): void {
		this.#provider[Symbol.dispose]();
		this.#distributed[Symbol.dispose]();
	}

	/** Those of a good token, with what is to be had elsewhere. AppError Unauthenticated. */
	async #claims(token: string, signal: AbortSignal): Promise<JWTPayload> {
		const { issuer, claimMappings, signingAlgorithms: algorithms = ALGORITHMS } = this.#authenticator;
		const rules = { audiences: issuer.audiences, algorithms };
		const own = await verifyToken(token, this.#provider, { ...rules, issuer: issuer.url }, this.#clock.now(), signal).catch(
			(cause: unknown) => {
				if (codeOf(cause) === 'Unauthenticated') throw cause;
				throw bad(`verify token: ${messageOf(cause)}`, cause);
			},
		);
		const { claim = '' } = claimMappings.groups ?? {};
		if (claim === '') return own;
		return this.#distributed.expand(own, claim, rules, signal).catch((cause: unknown) => {
			throw bad(`could not expand distributed claims: ${messageOf(cause)}`, cause);
		});
	}
}

function bad(why: string, cause: unknown): AppError {
	return new AppError('Unauthenticated', `oidc: ${why}`, { cause });
}
