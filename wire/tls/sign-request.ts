/** A certificate as a PKCS#10 request asks for it: its subject, names and key, and the usages that the certificates API speaks of. */
import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { importAuthorityKey, pem, serial, SUBJECT_ALTERNATIVE_NAME, x509, type Authority } from './authority.ts';

/** Bits of the key usage extension (KeyUsageFlags). */
const KEY_USAGES: Readonly<Record<string, number>> = {
	signing: 1,
	'digital signature': 1,
	'content commitment': 2,
	'key encipherment': 4,
	'data encipherment': 8,
	'key agreement': 16,
	'cert sign': 32,
	'crl sign': 64,
	'encipher only': 128,
	'decipher only': 256,
};

/** In the order in which certificates carry them. */
const EXTENDED_USAGES: Readonly<Record<string, string>> = {
	any: '2.5.29.37.0',
	'server auth': '1.3.6.1.5.5.7.3.1',
	'client auth': '1.3.6.1.5.5.7.3.2',
	'code signing': '1.3.6.1.5.5.7.3.3',
	'email protection': '1.3.6.1.5.5.7.3.4',
	's/mime': '1.3.6.1.5.5.7.3.4',
	'ipsec end system': '1.3.6.1.5.5.7.3.5',
	'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
	'ipsec user': '1.3.6.1.5.5.7.3.7',
	timestamping: '1.3.6.1.5.5.7.3.8',
	'ocsp signing': '1.3.6.1.5.5.7.3.9',
	'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
	'netscape sgc': '2.16.840.1.113730.4.1',
};

const BACKDATE_MS = 5 * 60_000;
/** Shorter lives do not lose what certificates are backdated by (upstream's PermissiveSigningPolicy). */
const SHORT_MS = 8 * 3_600_000;

/** The PEM certificate. AppError InvalidArgument for a request that is broken or usages that are unknown; FailedPrecondition where the CA has ended. */
export async function signRequest(
	authority: Authority,
	csrPem: string,
	{ usages, ttlMs }: { readonly usages: readonly string[]; readonly ttlMs: number },
	clock: Clock,
): Promise<string> {
	const lib = await x509();
	const csr = new lib.Pkcs10CertificateRequest(csrPem);
	if (!(await csr.verify())) throw new AppError('InvalidArgument', 'unable to verify certificate request signature');
	const issuer = new lib.X509Certificate(authority.certPem);
	const unknown = usages.filter((u) => !(u in KEY_USAGES) && !(u in EXTENDED_USAGES));
	if (unknown.length > 0)
		throw new AppError('InvalidArgument', `unrecognized usage values: [${unknown.map((u) => JSON.stringify(u)).join(' ')}]`);
	const bits = usages.reduce((all, usage) => all | (KEY_USAGES[usage] ?? 0), 0);
	const extended = new Set(Object.entries(EXTENDED_USAGES).flatMap(([name, oid]) => (usages.includes(name) ? [oid] : [])));
	const asked = csr.getExtension(SUBJECT_ALTERNATIVE_NAME);
	const names = asked === null ? [] : signedNames(new lib.SubjectAlternativeNameExtension(asked.rawData).names.toJSON());
	const keyId = issuer.getExtension(lib.SubjectKeyIdentifierExtension)?.keyId; // by a method of its maker's
	return pem(
		await lib.X509CertificateGenerator.create({
			serialNumber: serial(),
			subject: csr.subjectName,
			issuer: issuer.subjectName,
			...validity(clock.now(), ttlMs, Date.parse(new X509Certificate(authority.certPem).validTo)),
			publicKey: csr.publicKey,
			...(await importAuthorityKey(authority.keyPem)),
			extensions: [
				...(bits === 0 ? [] : [new lib.KeyUsagesExtension(bits, true)]),
				...(extended.size === 0 ? [] : [new lib.ExtendedKeyUsageExtension([...extended])]),
				new lib.BasicConstraintsExtension(false, undefined, true),
				keyId === undefined
					? await lib.AuthorityKeyIdentifierExtension.create(issuer.publicKey)
					: new lib.AuthorityKeyIdentifierExtension(keyId),
				// Critical where nothing else says whose it is (RFC 5280).
				...(names.length === 0 ? [] : [new lib.SubjectAlternativeNameExtension(names, csr.subjectName.toJSON().length === 0)]),
			],
		}),
	);
}

/** Names of other kinds are left out, as by Go: no signer has looked at them. Pure. */
function signedNames<N extends { readonly type: string }>(names: readonly N[]): N[] {
	return ['dns', 'email', 'ip', 'url'].flatMap((type) => names.filter((name) => name.type === type));
}

/** Not longer than the CA itself. Pure. */
export function validity(now: number, ttlMs: number, caEnds: number): { readonly notBefore: Date; readonly notAfter: Date } {
	if (now >= caEnds)
		throw new AppError(
			'FailedPrecondition',
			`refusing to sign a certificate that expired in the past: NotAfter=${new Date(caEnds).toISOString()}`,
		);
	const ends = ttlMs < SHORT_MS ? now + ttlMs : now + ttlMs - BACKDATE_MS;
	return { notBefore: new Date(now - BACKDATE_MS), notAfter: new Date(Math.min(ends, caEnds)) };
}
