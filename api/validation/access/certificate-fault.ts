/** What is wrong with a signed certificate, in the words of Go's crypto/x509 as far as its frame goes; what is inside it, OpenSSL judges. Pure. */
import { X509Certificate } from 'node:crypto';
import { goQuote } from '../../go-quote.ts';
import { pemBlocks } from '../../pem-blocks.ts';

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const SEQUENCE = 0x30;
const VERSION = 0xa0;
const MALFORMED = 'malformed certificate';

/** The first thing that is wrong with the blocks of a PEM text; undefined where each holds certificates, one behind the other. */
export function certificateFault(pem: Buffer): string | undefined {
	const blocks = pemBlocks(pem);
	for (const { type, hasHeaders, der } of blocks) {
		if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${goQuote(type)}`;
		if (hasHeaders) return 'no PEM block headers are permitted';
		const fault = certificatesFault(der);
		if (fault !== undefined) return fault;
	}
	return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}

function certificatesFault(der: Buffer): string | undefined {
	if (der.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates';
	for (let rest = der; rest.length > 0; ) {
		const [certificate, next] = element(rest, SEQUENCE) ?? [];
		const fault = certificate === undefined ? MALFORMED : (frameFault(certificate.content) ?? contentFault(certificate.whole));
		if (fault !== undefined) return `x509: ${fault}`;
		rest = next as Buffer;
	}
	return undefined;
}

/** In the order in which Go reads: the inner algorithm, the outer one, then the rest of what is signed, the signature last. */
function frameFault(certificate: Buffer): string | undefined {
	const [tbs, afterTbs] = element(certificate, SEQUENCE) ?? [];
	if (tbs === undefined) return 'malformed tbs certificate';
	const [version, afterVersion] = tbs.content[0] === VERSION ? (element(tbs.content, VERSION) ?? []) : [null, tbs.content];
	const number = version === null ? 0 : integerOf(version?.content);
	if (number === undefined || number < 0) return 'malformed version';
	if (number > 2) return 'invalid version';
	const [serial, afterSerial] = element(afterVersion as Buffer, INTEGER) ?? [];
	if (serial === undefined || !isInteger(serial.content)) return 'malformed serial number';
	if ((serial.content[0] as number) >= 0x80) return 'negative serial number';
	const [inner, afterInner] = element(afterSerial as Buffer, SEQUENCE) ?? [];
	if (inner === undefined) return 'malformed signature algorithm identifier';
	const [outer, afterOuter] = element(afterTbs as Buffer, SEQUENCE) ?? [];
	if (outer === undefined) return 'malformed algorithm identifier';
	if (!outer.content.equals(inner.content)) return "inner and outer signature algorithm identifiers don't match";
	let rest = afterInner as Buffer;
	// The subject's name is called the issuer's, too.
	for (const what of ['issuer', 'validity', 'issuer', 'spki']) {
		const [found, next] = element(rest, SEQUENCE) ?? [];
		if (found === undefined) return `malformed ${what}`;
		rest = next as Buffer;
	}
	return element(afterOuter as Buffer, BIT_STRING) === undefined ? 'malformed signature' : undefined;
}

function contentFault(der: Buffer): string | undefined {
	try {
		return new X509Certificate(der).raw.length > 0 ? undefined : MALFORMED;
	} catch {
		return MALFORMED;
	}
}

/** The element that the bytes begin with, and what follows it; undefined where it is another one, or none by DER. */
function element(bytes: Buffer, tag: number): readonly [{ readonly whole: Buffer; readonly content: Buffer }, Buffer] | undefined {
	const [given, first] = bytes;
	if (given !== tag || first === undefined) return undefined;
	const size = first < 0x80 ? 0 : first & 0x7f;
	if (first === 0x80 || size > 4 || bytes.length < 2 + size) return undefined;
	const length = size === 0 ? first : bytes.readUIntBE(2, size);
	// A length is as short as can be.
	if (size > 0 && (length < 0x80 || length < 256 ** (size - 1))) return undefined;
	const end = 2 + size + length;
	if (end > bytes.length) return undefined;
	return [{ whole: bytes.subarray(0, end), content: bytes.subarray(2 + size, end) }, bytes.subarray(end)];
}

function integerOf(bytes: Buffer | undefined): number | undefined {
	const [found] = bytes === undefined ? [] : (element(bytes, INTEGER) ?? []);
	if (found === undefined || !isInteger(found.content) || found.content.length > 6) return undefined;
	return found.content.readIntBE(0, found.content.length);
}

/** No shorter one says the same. */
function isInteger(content: Buffer): boolean {
	const [first, second] = content;
	if (first === undefined || second === undefined) return first !== undefined;
	return !((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80));
}
