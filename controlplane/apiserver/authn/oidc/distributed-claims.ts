/**
 * Claims that a token does not carry but says where to get (OpenID Connect Core, 5.6.2): fetched, verified like the token itself, and put in
 * its place. Upstream does so for the claim with the groups.
 */
import { STATUS_CODES } from 'node:http';
import { decodeJwt, type JWTPayload } from 'jose';
import { goQuote } from '../../../../api/go-quote.ts';
import type { Clock } from '../../../../base/clock.ts';
import { messageOf } from '../../../../base/errors.ts';
import type { JwtIssuer } from './jwt-authenticator.ts';
import { OidcProvider } from './provider.ts';
import { issuerOf, verifyToken, type TokenRules } from './verify-token.ts';

interface Source {
	readonly endpoint?: string;
	readonly access_token?: string;
}

/** So many issuers of claims are known at a time: who answers for a claim names its issuer, and must use up nobody's place for good. */
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

	/** The claims with this one in them, where it is to be had. Rejects with an Error that says why it is not. */
	async expand(claims: JWTPayload, claim: string, rules: Omit<TokenRules, 'issuer'>, signal: AbortSignal): Promise<JWTPayload> {
		const { endpoint = '', access_token: token = '' } = sourceOf(claims, claim) ?? {};
		if (endpoint === '') return claims;
		const text = await this.#fetch(endpoint, token, signal).catch((cause: unknown) => {
			throw new Error(`while getting distributed claim ${goQuote(claim)}: ${messageOf(cause)}`, { cause });
		});
		let issuer: string;
		try {
			issuer = issuerOf(decodeJwt(text).iss);
		} catch (cause) {
			throw new Error(`getting untrusted issuer from endpoint ${endpoint} failed for claim ${goQuote(claim)}: ${messageOf(cause)}`, {
				cause,
			});
		}
		const provider = this.#provider(issuer);
		const payload = await verifyToken(text, provider, { ...rules, issuer }, this.#clock.now(), signal).catch((cause: unknown) => {
			throw new Error(`verify distributed claim token: ${messageOf(cause)}`, { cause });
		});
		if (payload[claim] === undefined)
			throw new Error(`jwt returned by distributed claim endpoint ${goQuote(endpoint)} did not contain claim: ${claim}`);
		return { ...claims, [claim]: payload[claim] };
	}

	async #fetch(endpoint: string, token: string, signal: AbortSignal): Promise<string> {
		const headers: Readonly<Record<string, string>> = token === '' ? {} : { authorization: `Bearer ${token}` };
		const { status, text } = await this.#provider(this.#issuer.url).fetch(endpoint, headers, signal);
		if (status < 200 || status > 226)
			throw new Error(`error while getting distributed claim JWT: ${status} ${STATUS_CODES[status] ?? ''}`.trim());
		return text.trim();
	}

	#provider(url: string): OidcProvider {
		let found = this.#providers.get(url);
		if (found === undefined) {
			if (this.#providers.size >= MAX_ISSUERS) this.#forgetOldest();
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

	#forgetOldest(): void {
		for (const [url, provider] of this.#providers) {
			provider[Symbol.dispose]();
			this.#providers.delete(url);
			return;
		}
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
	return sources?.[name];
}
