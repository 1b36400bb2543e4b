/** Certificates as authenticators look at them. */
import { X509Certificate } from 'node:crypto';

/** The extended key usage clientAuth (RFC 5280, 4.2.1.12). */
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

/** Those of a PEM file. */
export function certificatesIn(pem: string): readonly X509Certificate[] {
	return (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map((one) => new X509Certificate(one));
}

/** Whether one of the authorities signed it, for clients. */
export function isClientOf(certificate: X509Certificate, authorities: readonly X509Certificate[]): boolean {
	const usages = certificate.keyUsage as readonly string[] | undefined;
	if (usages !== undefined && !usages.includes(CLIENT_AUTH)) return false;
	return authorities.some((ca) => certificate.checkIssued(ca) && certificate.verify(ca.publicKey));
}

export function isValidAt({ validFrom, validTo }: X509Certificate, now: number): boolean {
	return now >= Date.parse(validFrom) && now <= Date.parse(validTo);
}
