/** An issuer's keys: found by its discovery document, fetched over TLS, and fetched again when a token names one that is not there. */
import { STATUS_CODES } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { goQuote } from '../../../../api/go-quote.ts';
import { abortable, withDeadline } from '../../../../base/abort.ts';
import type { Clock } from '../../../../base/clock.ts';
import { AppError, messageOf } from '../../../../base/errors.ts';
import { KeySet } from './key-set.ts';
import type { JwtIssuer } from './jwt-authenticator.ts';
import type { JwtMetrics } from './jwt-metrics.ts';

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 1024 * 1024;
/** Unknown keys make nobody ask more often. */
const MIN_INTERVAL_MS = 10_000;
/** So long keys are believed without asking again. */
const MAX_AGE_MS = 3_600_000;

/** As Go's HTTP client. */
const MAX_REDIRECTS = 10;

export class OidcProvider implements Disposable {
	readonly #issuer: JwtIssuer;
	readonly #clock: Clock;
	readonly #agent: Agent;
	readonly #metrics: JwtMetrics | undefined;
	readonly #stop = new AbortController();
	#keys: { readonly set: KeySet; readonly at: number } | undefined;
	#jwksUri: string | undefined;
	#fetching: Promise<KeySet> | undefined;
	#failedAt = Number.NEGATIVE_INFINITY;

	/** @param metrics of the keys' fetches */
	constructor(issuer: JwtIssuer, clock: Clock, metrics?: JwtMetrics) {
		this.#metrics = metrics;
		this.#issuer = issuer;
		this.#clock = clock;
		const { certificateAuthority: ca = '' } = issuer;
		this.#agent = new Agent({ keepAlive: true, ...(ca === '' ? {} : { ca }) });
	}

	/** The keys anew. AppError Unavailable says why they cannot be had. */
	async load(signal: AbortSignal): Promise<void> {
		await this.#fetch(signal);
	}

	/** The keys as they are known. AppError Unauthenticated where they never were. */
	async keys(signal: AbortSignal): Promise<KeySet> {
		const known = this.#keys;
		if (known === undefined) {
			// Who cannot be reached is not asked for each request that comes.
			if (this.#fetching === undefined && this.#clock.monotonic() - this.#failedAt < MIN_INTERVAL_MS) throw notInitialized();
			return this.#fetch(signal).catch((cause: unknown) => {
				throw notInitialized(cause);
			});
		}
		// An issuer that cannot be reached does not make old keys bad, nor does anybody wait for it.
		const now = this.#clock.monotonic();
		if (now - known.at >= MAX_AGE_MS && now - this.#failedAt >= MIN_INTERVAL_MS) this.#fetch(this.#stop.signal).catch(() => undefined);
		return known.set;
	}

	/** The keys anew, for a token that names an unknown one; undefined when they have just been fetched. */
	async newerKeys(signal: AbortSignal): Promise<KeySet | undefined> {
		const last = Math.max(this.#keys?.at ?? Number.NEGATIVE_INFINITY, this.#failedAt);
		if (this.#fetching === undefined && this.#clock.monotonic() - last < MIN_INTERVAL_MS) return undefined;
		return this.#fetch(signal);
	}

	[Symbol.dispose](): void {
		this.#stop.abort(new AppError('Canceled', 'the issuer is not believed any more'));
		this.#agent.destroy();
	}

	/** Several may wait for the same keys: none of them ends the fetch. */
	#fetch(signal: AbortSignal): Promise<KeySet> {
		this.#fetching ??= this.#load(this.#stop.signal).finally(() => (this.#fetching = undefined));
		return abortable(this.#fetching, signal);
	}

	async #load(signal: AbortSignal): Promise<KeySet> {
		const { url } = this.#issuer;
		try {
			this.#jwksUri ??= await this.#discover(signal);
			const set = await this.#loadKeys(this.#jwksUri, signal);
			this.#keys = { set, at: this.#clock.monotonic() };
			return set;
		} catch (cause) {
			this.#failedAt = this.#clock.monotonic();
			throw new AppError('Unavailable', `oidc: authenticator for issuer "${url}" is not healthy: ${messageOf(cause)}`, { cause });
		}
	}

	/** Where the keys are. */
	async #discover(signal: AbortSignal): Promise<string> {
		const { url, discoveryURL = '' } = this.#issuer;
		const at = discoveryURL === '' ? `${url.replace(/\/$/, '')}/.well-known/openid-configuration` : discoveryURL;
		const text = await this.#get(at, signal);
		let document: { readonly issuer?: unknown; readonly jwks_uri?: unknown } | null;
		try {
			document = JSON.parse(text) as typeof document;
		} catch (cause) {
			throw new Error(`oidc: failed to decode provider discovery object: ${messageOf(cause)}`, { cause });
		}
		const { issuer = '', jwks_uri: keys = '' } = document ?? {};
		if (issuer !== url)
			throw new Error(`oidc: issuer did not match the issuer returned by provider, expected ${goQuote(url)} got ${quoted(issuer)}`);
		if (typeof keys !== 'string' || keys === '') throw new Error('provider did not return JWKS URL');
		return keys;
	}

	async #loadKeys(at: string, signal: AbortSignal): Promise<KeySet> {
		const { url } = this.#issuer;
		try {
			const text = await this.#get(at, signal);
			const set = new KeySet(JSON.parse(text));
			this.#metrics?.fetched(url, text);
			return set;
		} catch (error) {
			// Who is not believed any more has no metrics.
			if (!signal.aborted) this.#metrics?.fetched(url, undefined);
			throw error;
		}
	}

	async #get(url: string, signal: AbortSignal): Promise<string> {
		const { status, text: answer } = await this.fetch(url, { accept: 'application/json' }, signal);
		if (status !== 200) throw new Error(`${status} ${STATUS_CODES[status] ?? ''}: ${answer}`.trim());
		return answer;
	}

	/** What the URL answers, wherever it leads. Rejects where nobody does. */
	async fetch(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Fetched> {
		using deadline = withDeadline(this.#clock, TIMEOUT_MS, `fetching ${url}`, signal);
		let at = url;
		let shown = headers;
		for (let redirects = 0; ; redirects++) {
			const answer = await this.#once(at, shown, deadline.signal);
			if (answer.location === undefined || !REDIRECTS.has(answer.status)) return answer;
			if (redirects >= MAX_REDIRECTS) throw new Error(`Get ${goQuote(url)}: stopped after ${MAX_REDIRECTS} redirects`);
			const next = new URL(answer.location, at);
			// What is secret stays with whom it is for.
			if (next.host !== new URL(at).host) shown = Object.fromEntries(Object.entries(shown).filter(([name]) => name !== 'authorization'));
			at = next.href;
		}
	}

	#once(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Fetched> {
		return new Promise<Fetched>((resolve, reject) => {
			const request = httpsRequest(url, { agent: this.#agent, signal, headers });
			request.once('error', reject);
			request.once('response', (message) => {
				let bytes = 0;
				message.on('data', (chunk: Buffer) => {
					bytes += chunk.length;
					if (bytes > MAX_BYTES) message.destroy(new AppError('Unavailable', `the answer of ${url} is too large`));
				});
				const { statusCode: status = 0, headers: said } = message;
				text(message).then((answer) => resolve({ status, text: answer, location: said.location }), reject);
			});
			request.end();
		});
	}
}

interface Fetched {
	readonly status: number;
	readonly text: string;
	/** Where to ask instead. */
	readonly location: string | undefined;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const quoted = (value: unknown): string => (typeof value === 'string' ? goQuote(value) : JSON.stringify(value));

const notInitialized = (cause?: unknown): AppError => new AppError('Unauthenticated', 'oidc: authenticator not initialized', { cause });
