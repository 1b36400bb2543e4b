/** An X.509 certificate (RFC 5280) from its fields, signed. The library that reads requests takes 350 KB and longer than all certificates of a start. */
import { createHash, sign, type KeyObject } from 'node:crypto';
import { AppError } from '../../base/errors.ts';
import {
	bitString,
	contentOf,
	explicit,
	implicit,
	integer,
	NULL,
	objectIdentifier,
	octetString,
	sequence,
	set,
	text,
	time,
	TRUE,
	within,
} from './der.ts';
import { ipBytes } from './ip-bytes.ts';

export interface CertificateFields {
	/** The highest byte first. */
	readonly serial: Uint8Array;
	/** DER of the issuer's name, byte for byte as its own certificate has it. */
	readonly issuer: Uint8Array;
	/** DER, see {@link nameOf}. */
	readonly subject: Uint8Array;
	/** ms since the epoch. */
	readonly notBefore: number;
	readonly notAfter: number;
	/** DER of the SubjectPublicKeyInfo. */
	readonly publicKey: Uint8Array;
	readonly extensions: readonly Uint8Array[];
}

const SHA256_WITH_RSA = '1.2.840.113549.1.1.11';
/** ecdsa-with-SHA… of a curve, with as long a digest as Go takes (crypto/x509: signingParamsForKey). */
const ECDSA_OF_CURVE: Readonly<Record<string, readonly [oid: string, digest: string]>> = {
	prime256v1: ['1.2.840.10045.4.3.2', 'sha256'],
	secp384r1: ['1.2.840.10045.4.3.3', 'sha384'],
	secp521r1: ['1.2.840.10045.4.3.4', 'sha512'],
};
const VERSION_3 = explicit(0, integer(Buffer.from([2])));

/** How an issuer's key signs. AppError InvalidArgument for a key that is neither RSA nor on a NIST curve. */
export function signatureOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): {
	/** DER of the AlgorithmIdentifier. */
	readonly algorithm: Buffer;
	/** As node:crypto names it. */
	readonly digest: string;
	/** "RSA", or the curve as node:crypto names it. */
	readonly key: string;
} {
	if (type === 'rsa') return { algorithm: sequence(objectIdentifier(SHA256_WITH_RSA), NULL), digest: 'sha256', key: 'RSA' };
	const curve = details?.namedCurve ?? '';
	const [oid, digest] = ECDSA_OF_CURVE[type === 'ec' ? curve : ''] ?? [];
	if (oid !== undefined && digest !== undefined) return { algorithm: sequence(objectIdentifier(oid)), digest, key: curve };
	const kind = `type "${type}"${curve === '' ? '' : ` on the curve "${curve}"`}`;
	throw new AppError('InvalidArgument', `Cannot sign with a key of ${kind}: an authority must have one of RSA or on a NIST curve`);
}

/** The certificate in PEM. AppError InvalidArgument as {@link signatureOf}. @param key of the issuer */
export function certificatePem(fields: CertificateFields, key: KeyObject): string {
	const { algorithm, digest } = signatureOf(key);
	const signed = sequence(
		VERSION_3,
		integer(fields.serial),
		algorithm,
		fields.issuer,
		sequence(time(fields.notBefore), time(fields.notAfter)),
		fields.subject,
		fields.publicKey,
		explicit(3, sequence(...fields.extensions)),
	);
	const whole = sequence(signed, algorithm, bitString(sign(digest, signed, key)));
	const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
	return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** Of the certificate's extensions: `[3]`, holding others. */
const EXTENSIONS = 0xa3;
const SUBJECT_KEY_IDENTIFIER = '2.5.29.14';
const ORGANIZATION = '2.5.4.10';
const COMMON_NAME = '2.5.4.3';

/** As upstream writes names: each organization a set of its own, the common name last. */
export function nameOf(commonName: string, organizations: readonly string[]): Buffer {
	const part = (oid: string, value: string): Buffer => set(sequence(objectIdentifier(oid), text(value)));
	return sequence(...organizations.map((o) => part(ORGANIZATION, o)), part(COMMON_NAME, commonName));
}

/** The subject of a DER certificate, as it is. */
export function subjectOf(certificate: Buffer): Buffer {
	const fields = fieldsOf(certificate);
	// Before it: the version (absent in version 1), serial, algorithm, issuer, validity.
	return fields[fields[0]?.[0] === 0xa0 ? 5 : 4] ?? Buffer.alloc(0);
}

/** The identifier that a DER certificate itself gives its key, by a method of its maker's; undefined where it gives none. */
export function subjectKeyIdentifierOf(certificate: Buffer): Buffer | undefined {
	const extensions = fieldsOf(certificate).find(([tag]) => tag === EXTENSIONS);
	if (extensions === undefined) return undefined;
	const oid = objectIdentifier(SUBJECT_KEY_IDENTIFIER);
	const found = within(contentOf(extensions)).find((one) => within(one)[0]?.equals(oid));
	const value = found && within(found).at(-1);
	return value && contentOf(contentOf(value));
}

/** What of a certificate is signed. */
function fieldsOf(certificate: Buffer): Buffer[] {
	return within(within(certificate)[0] ?? Buffer.alloc(0));
}

/** What identifies a key: the SHA-1 of its bits (RFC 5280, section 4.2.1.2). @param publicKey DER of the SubjectPublicKeyInfo */
export function keyIdentifier(publicKey: Buffer): Buffer {
	const bits = within(publicKey)[1] ?? Buffer.alloc(0);
	return createHash('sha1').update(contentOf(bits).subarray(1)).digest();
}

const extension = (oid: string, value: Uint8Array, critical = false): Buffer =>
	sequence(objectIdentifier(oid), ...(critical ? [TRUE] : []), octetString(value));

/** Bits of the key usage, the highest first. */
const DIGITAL_SIGNATURE = 0x80;
const KEY_ENCIPHERMENT = 0x20;
const CERT_SIGN = 0x04;

const keyUsage = (bits: number): Buffer =>
	extension('2.5.29.15', bitString(Buffer.from([bits]), Math.max(0, 31 - Math.clz32(bits & -bits))), true);

/** The extensions of an authority. @param identifier of its key */
export function authorityExtensions(identifier: Uint8Array): readonly Buffer[] {
	return [
		extension('2.5.29.19', sequence(TRUE), true),
		keyUsage(DIGITAL_SIGNATURE | KEY_ENCIPHERMENT | CERT_SIGN),
		extension(SUBJECT_KEY_IDENTIFIER, octetString(identifier)),
	];
}

const USAGES = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;

/** The extensions of a leaf. @param issuer identifier of its issuer's key */
export function leafExtensions(
	issuer: Uint8Array,
	usages: readonly ('server' | 'client')[],
	names: { readonly dns: readonly string[]; readonly ip: readonly string[] },
): readonly Buffer[] {
	const alternative = [...names.dns.map((name) => implicit(2, Buffer.from(name))), ...names.ip.map((ip) => implicit(7, ipBytes(ip)))];
	return [
		extension('2.5.29.19', sequence(), true),
		keyUsage(DIGITAL_SIGNATURE | KEY_ENCIPHERMENT),
		extension('2.5.29.37', sequence(...usages.map((usage) => objectIdentifier(USAGES[usage])))),
		extension('2.5.29.35', sequence(implicit(0, issuer))),
		...(alternative.length === 0 ? [] : [extension('2.5.29.17', sequence(...alternative))]),
	];
}
