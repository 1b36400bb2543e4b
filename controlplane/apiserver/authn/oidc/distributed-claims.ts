/**
 * Claims that a token does not carry but says where to get (OpenID Connect Core, 5.6.2): fetched, verified like the token itself, and put in
 * its place. Upstream does so for the claim with the groups.
 */
import { decodeJwt, jwtVerify, type JWTPayload, type JWTVerifyOptions } from 'jose';
import type { Clock } from '../../../../base/clock.ts';
import { AppError, messageOf } from '../../../../base/errors.ts';
import type { JwtIssuer } from './jwt-authenticator.ts';
import { OidcProvider } from './provider.ts';

interface Source {
	readonly endpoint?: string;
	readonly access_token?: string;
}

/** So many issuers are asked for claims; more are a fault. */
const MAX_ISSUERS = 32;

export class DistributedClaims implements Disposable {
	readonly #issuer: JwtIssuer;
	readonly #clock: Clock;
	/** By issuer. */
	readonly #providers = new Map<string, OidcProvider>();

	constructor(issuer: JwtIssuer, clock: Clock) {
		this.#issuer = issuer;
		this.#clock = clock;
	}

	/** The claims with this one in them, where it is to be had. AppError Unauthenticated. */
	async expand(claims: JWTPayload, claim: string, options: JWTVerifyOptions, signal: AbortSignal): Promise<JWTPayload> {
		const source = sourceOf(claims, claim);
		if (source?.endpoint === undefined || source.endpoint === '') return claims;
		try {
			const { endpoint, access_token: token = '' } = source;
			const own = this.#provider(this.#issuer.url);
			const text = (await own.fetch(endpoint, token === '' ? {} : { authorization: `Bearer ${token}` }, signal)).trim();
			const issuer = decodeJwt(text).iss ?? '';
			const keys = await this.#provider(issuer).keys(signal);
			const { payload } = await jwtVerify(text, keys, { ...options, issuer, currentDate: new Date(this.#clock.now()) });
			if (payload[claim] === undefined)
				throw new Error(`jwt returned by distributed claim endpoint "${endpoint}" did not contain claim: ${claim}`);
			return { ...claims, [claim]: payload[claim] };
		} catch (cause) {
			throw new AppError('Unauthenticated', `oidc: could not expand distributed claims: ${messageOf(cause)}`, { cause });
		}
	}

	#provider(url: string): OidcProvider {
		let found = this.#providers.get(url);
		if (found === undefined) {
			if (this.#providers.size >= MAX_ISSUERS) throw new Error(`too many issuers of distributed claims, the last one "${url}"`);
			const { certificateAuthority, audiences } = this.#issuer;
			const own =
				url === this.#issuer.url
					? this.#issuer
					: { url, audiences, ...(certificateAuthority === undefined ? {} : { certificateAuthority }) };
			found = new OidcProvider(own, this.#clock);
			this.#providers.set(url, found);
		}
		return found;
	}

	[Symbol.dispose](): void {
		for (const provider of this.#providers.values()) provider[Symbol.dispose]();
	}
}

/** Undefined: the claim is there already, or nobody has it. */
function sourceOf(claims: JWTPayload, claim: string): Source | undefined {
	if (claims[claim] !== undefined) return undefined;
	const name = (claims['_claim_names'] as Readonly<Record<string, string>> | undefined)?.[claim];
	if (name === undefined) return undefined;
	const sources = claims['_claim_sources'] as Readonly<Record<string, Source>> | undefined;
	if (sources === undefined) throw new AppError('Unauthenticated', 'oidc: could not expand distributed claims: oidc: no claim sources');
	const source = sources[name];
	if (source === undefined)
		throw new AppError(
			'Unauthenticated',
			`oidc: could not expand distributed claims: id token _claim_names contained a source ${name} missing in _claims_sources`,
		);
	return source;
}
