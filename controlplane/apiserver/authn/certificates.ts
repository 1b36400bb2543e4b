/** Certificates as authenticators look at them. */
import { X509Certificate } from 'node:crypto';

/** The extended key usage clientAuth (RFC 5280, 4.2.1.12). */
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_PURPOSE = '2.5.29.37.0';

/** Those of a PEM file. */
export function certificatesIn(pem: string): readonly X509Certificate[] {
	return (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map((one) => new X509Certificate(one));
}

/** Whether one of the authorities signed it for clients, itself or by way of the intermediates, all of them in force. */
export function isClientOf(
	certificate: X509Certificate,
	authorities: readonly X509Certificate[],
	intermediates: () => readonly X509Certificate[],
	now: number,
): boolean {
	if (!isForClients(certificate)) return false;
	const signs = (ca: X509Certificate): boolean => certificate.checkIssued(ca) && certificate.verify(ca.publicKey) && isValidAt(ca, now);
	if (authorities.some(signs)) return true;
	const between = intermediates();
	return between.some((one) => {
		const others = between.filter((other) => other !== one);
		return one.ca && signs(one) && isClientOf(one, authorities, () => others, now);
	});
}

/** One that names no purpose is for any. */
function isForClients({ keyUsage }: X509Certificate): boolean {
	const usages = keyUsage as readonly string[] | undefined;
	return usages === undefined || usages.includes(CLIENT_AUTH) || usages.includes(ANY_PURPOSE);
}

export function isValidAt({ validFrom, validTo }: X509Certificate, now: number): boolean {
	return now >= Date.parse(validFrom) && now <= Date.parse(validTo);
}
