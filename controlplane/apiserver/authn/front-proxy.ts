/** A proxy in front that has authenticated the user: its certificate vouches for the X-Remote-* headers (upstream's request/headerrequest). */
import { X509Certificate } from 'node:crypto';
import { unauthorized } from '../../../api/status.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Authenticator, Credentials, HeaderLines, UserInfo } from '../contracts.ts';
import { certificatesIn } from '../../../wire/tls/pem.ts';
import { isClientOf, isValidAt } from './certificates.ts';
import { headerValue, headerValues, unescapedKey, type Headers } from './header-values.ts';
import { setOwn } from '../../../api/own-field.ts';

export interface FrontProxyOptions {
	/** PEM of the CA that signs the proxies' certificates. */
	readonly clientCa: string;
	/** Common names that may; empty: all of that CA. */
	readonly allowedNames: readonly string[];
	/** Names of headers, in the order in which they are looked at. */
	readonly usernameHeaders: readonly string[];
	readonly uidHeaders: readonly string[];
	readonly groupHeaders: readonly string[];
	readonly extraHeaderPrefixes: readonly string[];
}

export class FrontProxy implements Authenticator {
	readonly #options: FrontProxyOptions;
	readonly #clock: Clock;
	readonly #authorities: readonly X509Certificate[];
	/** Connections keep their certificate: checked once each. */
	readonly #checked = new WeakMap<Uint8Array, X509Certificate | 'not mine'>();

	constructor(options: FrontProxyOptions, clock: Clock) {
		this.#options = options;
		this.#clock = clock;
		this.#authorities = certificatesIn(options.clientCa);
	}

	/** Undefined for connections that are no proxy's. */
	authenticate({ clientCertificate, intermediates, headers, repeated }: Credentials): Promise<UserInfo | undefined> {
		if (clientCertificate === undefined) return Promise.resolve(undefined);
		const certificate = this.#proxy(clientCertificate, intermediates);
		if (certificate === 'not mine') return Promise.resolve(undefined);
		const user = remoteUser(this.#options, headers, repeated);
		if (user === undefined) return Promise.resolve(undefined);
		if (!isValidAt(certificate, this.#clock.now())) return Promise.reject(unauthorized());
		const { allowedNames } = this.#options;
		const { CN } = certificate.toLegacyObject().subject as { CN?: string };
		if (allowedNames.length > 0 && !allowedNames.includes(CN ?? '')) return Promise.reject(unauthorized());
		return Promise.resolve(user);
	}

	/** Its headers may differ with each request. */
	recall({ clientCertificate, intermediates }: Credentials): 'not mine' | undefined {
		return clientCertificate === undefined || this.#proxy(clientCertificate, intermediates) === 'not mine' ? 'not mine' : undefined;
	}

	#proxy(der: Uint8Array, intermediates: Credentials['intermediates']): X509Certificate | 'not mine' {
		let known = this.#checked.get(der);
		if (known === undefined) {
			const certificate = new X509Certificate(der);
			const between = (): readonly X509Certificate[] => (intermediates?.() ?? []).map((one) => new X509Certificate(one));
			known = isClientOf(certificate, this.#authorities, between, this.#clock.now()) ? certificate : 'not mine';
			this.#checked.set(der, known);
		}
		return known;
	}
}

/** Pure. */
export function remoteUser(options: FrontProxyOptions, headers: Headers, lines?: HeaderLines): UserInfo | undefined {
	const first = (names: readonly string[]): string => {
		for (const name of names) {
			const value = headerValue(headers, name.toLowerCase(), lines);
			if (value !== '') return value;
		}
		return '';
	};
	const name = first(options.usernameHeaders);
	if (name === '') return undefined;
	const groups = options.groupHeaders
		.flatMap((header) => headerValues(headers, header.toLowerCase(), lines))
		.filter((group) => group !== '');
	const extra: Record<string, readonly string[]> = {};
	for (const prefix of options.extraHeaderPrefixes.map((p) => p.toLowerCase()))
		for (const header of Object.keys(headers))
			if (header.startsWith(prefix)) setOwn(extra, unescapedKey(header.slice(prefix.length)), headerValues(headers, header, lines));
	return { name, uid: first(options.uidHeaders), groups, extra };
}
