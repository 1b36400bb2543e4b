/** Certificates as authenticators look at them. */
import type { X509Certificate } from 'node:crypto';
import { objectIdentifier, TRUE, within } from '../../../wire/tls/der.ts';

/** The extended key usage clientAuth (RFC 5280, 4.2.1.12). */
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_PURPOSE = '2.5.29.37.0';
/** Signatures looked at for one certificate (crypto/x509's maxChainSignatureChecks): of intermediates that all sign each other the ways are without number. */
const MAX_CHECKS = 100;
/** The tag of a certificate's last field. */
const EXTENSIONS = 0xa3;

/** Whether one of the authorities signed it for clients, itself or by way of the intermediates, all of them in force. */
export function isClientOf(
	certificate: X509Certificate,
	authorities: readonly X509Certificate[],
	intermediates: () => readonly X509Certificate[],
	now: number,
): boolean {
	let left = MAX_CHECKS;
	const signed = (one: X509Certificate, ca: X509Certificate): boolean =>
		one.checkIssued(ca) && isValidAt(ca, now) && left-- > 0 && one.verify(ca.publicKey);
	const leads = (one: X509Certificate, above: () => readonly X509Certificate[]): boolean => {
		if (!isForClients(one) || hasUnknownDemand(one)) return false;
		if (authorities.some((ca) => signed(one, ca))) return true;
		const between = above();
		return between.some((next) => {
			const others = between.filter((other) => other !== next);
			return next.ca && signed(one, next) && leads(next, () => others);
		});
	};
	return leads(certificate, intermediates);
}

/** One that names no purpose is for any. */
function isForClients({ keyUsage }: X509Certificate): boolean {
	const usages = keyUsage as readonly string[] | undefined;
	return usages === undefined || usages.includes(CLIENT_AUTH) || usages.includes(ANY_PURPOSE);
}

/** Critical extensions that crypto/x509 heeds; any other one may demand what nobody here looks at (RFC 5280, 4.2). */
const HEEDED: ReadonlySet<string> = new Set(
	// Key usage, basic constraints, names and their constraints, policies, CRLs, identifiers of keys, extended key usage.
	[14, 15, 17, 19, 30, 31, 32, 33, 35, 36, 37, 54].map((arc) => objectIdentifier(`2.5.29.${arc}`).toString('hex')),
);

function hasUnknownDemand({ raw }: X509Certificate): boolean {
	const [body = raw] = within(raw);
	const held = within(body).findLast((field) => field[0] === EXTENSIONS);
	const [list] = held === undefined ? [] : within(held);
	if (list === undefined) return false;
	return within(list).some((extension) => {
		const [id, critical] = within(extension);
		return critical !== undefined && id !== undefined && critical.equals(TRUE) && !HEEDED.has(id.toString('hex'));
	});
}

export function isValidAt({ validFrom, validTo }: X509Certificate, now: number): boolean {
	return now >= Date.parse(validFrom) && now <= Date.parse(validTo);
}
