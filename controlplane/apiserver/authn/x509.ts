/** Client certificates signed by the cluster CA: common name is the user, organizations are the groups. */
import { X509Certificate } from 'node:crypto';
import { unauthorized } from '../../../api/status.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Authenticator, Credentials, UserInfo } from '../contracts.ts';
import type { CredentialMetrics } from '../metrics/credential-metrics.ts';
import { isClientOf } from './certificates.ts';

/** Of the subject: the user's uid (upstream's AllowParsingUserUIDFromCertAuth). */
const UID = '1.3.6.1.4.1.57683.2';

interface Verified {
	readonly user: UserInfo;
	readonly validFrom: number;
	readonly validTo: number;
}

export class X509Authenticator implements Authenticator {
	readonly #authorities: () => readonly X509Certificate[];
	readonly #clock: Clock;
	readonly #metrics: CredentialMetrics | undefined;
	/** One connection hands in the same array for each of its requests. */
	readonly #known = new WeakMap<Uint8Array, Verified>();

	/** @param authorities the CA certificates trusted for clients, asked anew for each new connection so that a CA may be rotated */
	constructor(authorities: () => readonly X509Certificate[], clock: Clock, metrics?: CredentialMetrics) {
		this.#authorities = authorities;
		this.#clock = clock;
		this.#metrics = metrics;
	}

	authenticate(credentials: Credentials): Promise<UserInfo | undefined> {
		const der = credentials.clientCertificate;
		if (der === undefined) return Promise.resolve(undefined);
		try {
			return Promise.resolve(this.#user(der, credentials.intermediates));
		} catch (error) {
			return Promise.reject(error as Error);
		}
	}

	recall({ clientCertificate }: Credentials): UserInfo | 'not mine' | undefined {
		if (clientCertificate === undefined) return 'not mine';
		const known = this.#known.get(clientCertificate);
		if (known === undefined || !isValid(known, this.#clock.now())) return undefined;
		this.#metrics?.certificate(known.validTo);
		return known.user.name === '' ? 'not mine' : known.user;
	}

	#user(der: Uint8Array, intermediates: Credentials['intermediates']): UserInfo | undefined {
		const between = (): readonly X509Certificate[] => (intermediates?.() ?? []).map((one) => new X509Certificate(one));
		const known = this.#known.get(der) ?? verify(der, this.#authorities(), between, this.#clock.now());
		if (known !== undefined) this.#metrics?.certificate(known.validTo);
		if (known === undefined || !isValid(known, this.#clock.now())) throw unauthorized();
		this.#known.set(der, known);
		return known.user.name === '' ? undefined : known.user;
	}
}

function isValid({ validFrom, validTo }: Verified, now: number): boolean {
	return now >= validFrom && now <= validTo;
}

/** Who the certificate names, if one of the authorities signed it for clients. */
function verify(
	der: Uint8Array,
	authorities: readonly X509Certificate[],
	intermediates: () => readonly X509Certificate[],
	now: number,
): Verified | undefined {
	const certificate = new X509Certificate(der);
	if (!isClientOf(certificate, authorities, intermediates, now)) return undefined;
	const subject = certificate.toLegacyObject().subject as unknown as Readonly<Record<string, string | readonly string[] | undefined>>;
	return {
		user: {
			name: list(subject['CN']).at(-1) ?? '',
			uid: uidIn(list(subject[UID])),
			groups: list(subject['O']),
			extra: credentialId(certificate),
		},
		validFrom: Date.parse(certificate.validFrom),
		validTo: Date.parse(certificate.validTo),
	};
}

/** None, or one that says something; else the certificate is nobody's. */
function uidIn(values: readonly string[]): string {
	const [uid, ...more] = values;
	if (uid === '' || more.length > 0) throw unauthorized();
	return uid ?? '';
}

function list(value: string | readonly string[] | undefined): readonly string[] {
	if (value === undefined) return [];
	return typeof value === 'string' ? [value] : value;
}

function credentialId(certificate: X509Certificate): UserInfo['extra'] {
	const hash = certificate.fingerprint256.replaceAll(':', '').toLowerCase();
	return { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${hash}`] };
}
