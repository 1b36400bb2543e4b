/** An issuer's keys: found by its discovery document, fetched over TLS, and fetched again when a token names one that is not there. */
import { Agent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { withDeadline } from '../../../../base/abort.ts';
import type { Clock } from '../../../../base/clock.ts';
import { AppError, messageOf } from '../../../../base/errors.ts';
import type { JwtIssuer } from './jwt-authenticator.ts';

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 1024 * 1024;
/** Unknown keys make nobody ask more often. */
const MIN_INTERVAL_MS = 10_000;
/** So long keys are believed without asking again. */
const MAX_AGE_MS = 3_600_000;

export type KeyLookup = ReturnType<typeof createLocalJWKSet>;

export class OidcProvider implements Disposable {
	readonly #issuer: JwtIssuer;
	readonly #clock: Clock;
	readonly #agent: Agent;
	#keys: { readonly lookup: KeyLookup; readonly at: number } | undefined;
	#jwksUri: string | undefined;
	#fetching: Promise<KeyLookup> | undefined;
	#failedAt = Number.NEGATIVE_INFINITY;

	constructor(issuer: JwtIssuer, clock: Clock) {
		this.#issuer = issuer;
		this.#clock = clock;
		const { certificateAuthority: ca = '' } = issuer;
		this.#agent = new Agent({ keepAlive: true, ...(ca === '' ? {} : { ca }) });
	}

	/** The keys as they are known. AppError Unavailable when they cannot be had. */
	async keys(signal: AbortSignal): Promise<KeyLookup> {
		const known = this.#keys;
		if (known === undefined) return this.#fetch(signal);
		if (this.#clock.monotonic() - known.at < MAX_AGE_MS) return known.lookup;
		// An issuer that cannot be reached does not make old keys bad.
		return this.#fetch(signal).catch(() => known.lookup);
	}

	/** The keys anew, for a token that names an unknown one; undefined when they have just been fetched. */
	async newerKeys(signal: AbortSignal): Promise<KeyLookup | undefined> {
		const last = Math.max(this.#keys?.at ?? Number.NEGATIVE_INFINITY, this.#failedAt);
		if (this.#fetching === undefined && this.#clock.monotonic() - last < MIN_INTERVAL_MS) return undefined;
		return this.#fetch(signal);
	}

	[Symbol.dispose](): void {
		this.#agent.destroy();
	}

	#fetch(signal: AbortSignal): Promise<KeyLookup> {
		this.#fetching ??= this.#load(signal).finally(() => (this.#fetching = undefined));
		return this.#fetching;
	}

	async #load(signal: AbortSignal): Promise<KeyLookup> {
		const { url, discoveryURL = '' } = this.#issuer;
		try {
			if (this.#jwksUri === undefined) {
				const at = discoveryURL === '' ? `${url.replace(/\/$/, '')}/.well-known/openid-configuration` : discoveryURL;
				const document = (await this.#get(at, signal)) as { readonly issuer?: string; readonly jwks_uri?: string };
				if (document.issuer !== url)
					throw new AppError(
						'FailedPrecondition',
						`oidc: issuer did not match the issuer returned by provider, expected "${url}" got "${document.issuer}"`,
					);
				this.#jwksUri = document.jwks_uri;
			}
			if (this.#jwksUri === undefined) throw new AppError('FailedPrecondition', 'provider did not return JWKS URL');
			const lookup = createLocalJWKSet((await this.#get(this.#jwksUri, signal)) as JSONWebKeySet);
			this.#keys = { lookup, at: this.#clock.monotonic() };
			return lookup;
		} catch (cause) {
			this.#failedAt = this.#clock.monotonic();
			throw new AppError('Unavailable', `oidc: authenticator for issuer "${url}" is not initialized: ${messageOf(cause)}`, { cause });
		}
	}

	async #get(url: string, signal: AbortSignal): Promise<unknown> {
		return JSON.parse(await this.fetch(url, { accept: 'application/json' }, signal)) as unknown;
	}

	/** What the URL answers. AppError Unavailable. */
	async fetch(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string> {
		using deadline = withDeadline(this.#clock, TIMEOUT_MS, `fetching ${url}`, signal);
		return await new Promise<string>((resolve, reject) => {
			const request = httpsRequest(url, { agent: this.#agent, signal: deadline.signal, headers });
			request.once('error', reject);
			request.once('response', (message) => {
				let bytes = 0;
				message.on('data', (chunk: Buffer) => {
					bytes += chunk.length;
					if (bytes > MAX_BYTES) message.destroy(new AppError('Unavailable', `the answer of ${url} is too large`));
				});
				text(message).then((answer) => {
					if (message.statusCode === 200) resolve(answer);
					else reject(new AppError('Unavailable', `${url} answered ${message.statusCode}`));
				}, reject);
			});
			request.end();
		});
	}
}
