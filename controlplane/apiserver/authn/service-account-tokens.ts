/** Service-account tokens: signed for TokenRequest, and believed as long as the objects they are bound to exist. */
import { compactVerify, decodeJwt, decodeProtectedHeader } from 'jose';
import type { ServiceAccount } from '../../../api/gen/types.ts';
import { SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import type { ObjectReader, UserInfo } from '../contracts.ts';
import { BoundObjects, LEEWAY_MS, unauthenticated } from './bound-objects.ts';
import { typedClaims } from './claim-types.ts';
import { compactOf, mayKeep } from './compact-token.ts';
import { secretRemarks, staleRemarks } from './credential-remarks.ts';
import type { LegacyTokens } from './legacy-tokens.ts';
import type { ServiceAccountMetrics } from '../metrics/service-account-metrics.ts';
import {
	boundClaims,
	brokenLegacyClaim,
	LEGACY_ISSUER,
	legacyClaims,
	serviceAccountName,
	userOf,
	written,
	type Claims,
	type KubernetesClaim,
} from './service-account-claims.ts';
import type { ServiceAccountKeys } from './service-account-keys.ts';
import type { JwtAlgorithm } from '../../../wire/tls/jwt-key.ts';
import type { TokenAuthenticator, TokenIdentity } from './token-authenticator.ts';

interface Deps {
	readonly keys: ServiceAccountKeys;
	/** The first one signs; tokens of all are believed. */
	readonly issuers: readonly [string, ...string[]];
	/** The API server's own: what tokens of secrets are meant for. */
	readonly audiences: readonly string[];
	readonly objects: ObjectReader;
	readonly clock: Clock;
	readonly metrics?: ServiceAccountMetrics | undefined;
	/** Told of each use of a secret's token. */
	readonly legacy?: LegacyTokens | undefined;
}

/** A token whose signature was good, and the one user object it stands for. */
interface Verified {
	readonly claims: Claims;
	readonly user: UserInfo;
	/** Of its audiences those that were asked for last, and who asked: the server's own are the same list each time. */
	audiences?: { readonly asked: readonly string[]; readonly shared: readonly string[] };
}

const UNSIGNED = 'go-jose/go-jose: error in cryptographic primitive';

/** Verified signatures kept; a signature costs 0.2 ms, a look-up nothing. */
const CACHED = 4096;

export class ServiceAccountTokens implements TokenAuthenticator {
	readonly #deps: Deps;
	readonly #bound: BoundObjects;
	readonly #verified = new Map<string, Verified>();

	constructor(deps: Deps) {
		this.#deps = deps;
		this.#bound = new BoundObjects(deps);
	}

	/** Whole seconds since the epoch, as claims count. */
	nowSeconds(): number {
		return Math.floor(this.#deps.clock.now() / 1000);
	}

	/** Signs a token; `lifeSeconds` from now. */
	async sign(
		bound: KubernetesClaim,
		audiences: readonly string[],
		lifeSeconds: number,
	): Promise<{ readonly token: string; readonly expires: number; readonly id: string }> {
		const { keys, clock, issuers } = this.#deps;
		const now = this.nowSeconds();
		const exp = now + lifeSeconds;
		const claims = {
			aud: audiences,
			exp,
			iat: now,
			iss: issuers[0],
			jti: clock.uuid(),
			'kubernetes.io': written(bound),
			nbf: now,
			sub: serviceAccountName(bound.namespace, bound.serviceaccount.name),
		};
		return { token: await keys.sign({ ...claims }), expires: exp * 1000, id: claims.jti };
	}

	async authenticateToken(token: string, audiences: readonly string[]): Promise<TokenIdentity | undefined> {
		const verified = this.#verified.get(token) ?? (await this.#verify(token));
		return verified === undefined ? undefined : this.#stillGood(verified, token, audiences);
	}

	recallToken(token: string, audiences: readonly string[]): TokenIdentity | undefined {
		const verified = this.#verified.get(token);
		try {
			return verified === undefined ? undefined : this.#stillGood(verified, token, audiences);
		} catch {
			return undefined; // authenticateToken says why
		}
	}

	#stillGood(verified: Verified, token: string, audiences: readonly string[]): TokenIdentity {
		const { claims, user } = verified;
		if (verified.audiences?.asked !== audiences)
			verified.audiences = { asked: audiences, shared: audiences.filter((a) => claims.aud.includes(a)) };
		const { shared } = verified.audiences;
		if (audiences.length > 0 && shared.length === 0)
			throw unauthenticated(`token audiences ${quoted(claims.aud)} is invalid for the target audiences ${quoted(audiences)}`);
		if (claims.iss === LEGACY_ISSUER) this.#checkSecret(claims, token);
		else this.#checkBound(claims);
		return { user, audiences: shared };
	}

	#checkSecret(claims: Claims, token: string): void {
		const broken = brokenLegacyClaim(claims);
		if (broken !== undefined) throw unauthenticated(broken);
		const { secret, account } = this.#bound.ofSecret(claims['kubernetes.io'], token);
		this.#deps.legacy?.use(secret, account);
	}

	#checkBound({ exp, nbf, iat, 'kubernetes.io': bound }: Claims): void {
		const now = this.#deps.clock.now() / 1000;
		const leeway = LEEWAY_MS / 1000;
		if (now + leeway < nbf) throw unauthenticated('service account token is not valid yet');
		if (now - leeway > exp) throw unauthenticated('service account token has expired');
		if (now + leeway < iat) throw unauthenticated('service account token is issued in the future');
		this.#bound.check(bound);
		if ((bound.warnafter ?? 0) !== 0) this.#deps.metrics?.used(now > (bound.warnafter ?? 0) ? 'stale' : 'valid');
	}

	async #verify(given: string): Promise<Verified | undefined> {
		const { issuers, audiences } = this.#deps;
		const token = compactOf(given);
		if (token === undefined) return undefined;
		let issuer: string | undefined;
		let header: { kid?: string; b64?: unknown };
		try {
			issuer = decodeJwt(token).iss;
			header = decodeProtectedHeader(token);
		} catch {
			return undefined;
		}
		if (issuer === undefined || ![...issuers, LEGACY_ISSUER].includes(issuer)) return undefined;
		// Of RFC 7797, which makes other bytes be signed than those that are read.
		if (header.b64 === false) throw unauthenticated(UNSIGNED);
		await this.#checkSignature(token, header.kid);
		const payload = typedClaims(decodeJwt(token));
		const claims = issuer === LEGACY_ISSUER ? legacyClaims(payload, audiences) : boundClaims(payload, audiences);
		const known: Verified = { claims, user: { ...userOf(claims), ...this.#remarked(claims) } };
		if (!mayKeep(token)) return known;
		if (this.#verified.size >= CACHED) this.#verified.delete(this.#verified.keys().next().value ?? '');
		this.#verified.set(token, known);
		return known;
	}

	/** By one of the keys that may have signed it. */
	async #checkSignature(token: string, kid: string | undefined): Promise<void> {
		const keys = this.#deps.keys.find(kid);
		if (keys.length === 0) throw unauthenticated('invalid signature, no keys found');
		let failure: unknown;
		for (const { key, alg } of keys) {
			try {
				await compactVerify(token, key, { algorithms: [...algorithms(alg)] });
				return;
			} catch (error) {
				failure = error;
			}
		}
		throw unauthenticated(UNSIGNED, failure);
	}

	/** What upstream remarks on tokens that are older than clients should use, and on those of secrets. */
	#remarked({ iss, sub, 'kubernetes.io': { namespace, serviceaccount, secret, warnafter = 0 } }: Claims): Pick<UserInfo, 'remarks'> {
		if (iss === LEGACY_ISSUER && secret !== undefined) {
			const account = (): ServiceAccount | undefined => this.#deps.objects.get(SERVICE_ACCOUNTS, `${namespace}/${serviceaccount.name}`);
			return { remarks: () => secretRemarks(sub, secret.name, account()) };
		}
		if (warnafter === 0) return {};
		return { remarks: () => staleRemarks(sub, this.nowSeconds() - warnafter) };
	}
}

/** All by which a key of the kind may have signed: an RSA key signs with any digest and padding, one of a curve with its own. */
function algorithms(own: JwtAlgorithm): readonly string[] {
	return own === 'RS256' ? ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] : [own];
}

function quoted(values: readonly string[]): string {
	return `[${values.map((v) => JSON.stringify(v)).join(' ')}]`;
}
