/** A certificate authority in memory: makes itself, issues leaves, reads and makes requests. ES256 keys; @peculiar/x509 is loaded for the first request. */
import {
	createPrivateKey,
	createPublicKey,
	generateKeyPairSync,
	randomBytes,
	webcrypto,
	X509Certificate,
	type KeyObject,
} from 'node:crypto';
import { isIP } from 'node:net';
import type { JsonName } from '@peculiar/x509';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import {
	authorityExtensions,
	certificatePem,
	keyIdentifier,
	leafExtensions,
	nameOf,
	signatureOf,
	subjectKeyIdentifierOf,
	subjectOf,
} from './certificate.ts';

/** PEM of a CA certificate and its PKCS#8 key. */
export interface Authority {
	readonly certPem: string;
	readonly keyPem: string;
}

export interface LeafRequest {
	readonly commonName: string;
	readonly organizations?: readonly string[];
	readonly dnsNames?: readonly string[];
	readonly ipAddresses?: readonly string[];
	readonly usages: readonly ('server' | 'client')[];
	readonly days: number;
}

/** Certificates are valid from a little before now, so that clocks slightly behind accept them. */
const BACKDATE_MS = 5 * 60_000;
const DAY_MS = 86_400_000;
export const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
export const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';

/** Loaded once it is needed. */
export async function x509(): Promise<typeof import('@peculiar/x509')> {
	await import('reflect-metadata'); // its dependency injection needs this first
	return import('@peculiar/x509');
}

/** Makes a self-signed CA. */
export async function createAuthority(request: { readonly commonName: string; readonly days: number }, clock: Clock): Promise<Authority> {
	const { privateKey, publicKey } = newKey();
	const name = nameOf(request.commonName, []);
	const spki = derOf(publicKey);
	const extensions = authorityExtensions(keyIdentifier(spki));
	const fields = { serial: serialBytes(), issuer: name, subject: name, ...validity(request.days, clock), publicKey: spki, extensions };
	return { certPem: certificatePem(fields, privateKey), keyPem: pkcs8(privateKey) };
}

/** Makes a key and a certificate for it, signed by the authority. AppError InvalidArgument for an address that is none, or an authority whose key is neither RSA nor on a NIST curve. */
export async function issue(
	authority: Authority,
	request: LeafRequest,
	clock: Clock,
): Promise<{ readonly certPem: string; readonly keyPem: string }> {
	const issuer = issuerOf(authority);
	const { privateKey, publicKey } = newKey();
	const { dnsNames, ipAddresses, usages } = request;
	const fields = {
		serial: serialBytes(),
		issuer: issuer.name,
		subject: nameOf(request.commonName, request.organizations ?? []),
		...validity(request.days, clock),
		publicKey: derOf(publicKey),
		extensions: leafExtensions(issuer.keyIdentifier, usages, { dns: [...new Set(dnsNames)], ip: addresses(ipAddresses) }),
	};
	return { certPem: certificatePem(fields, issuer.key), keyPem: pkcs8(privateKey) };
}

/** What every certificate of an authority has from it. */
interface Issuer {
	/** DER. */
	readonly name: Buffer;
	readonly keyIdentifier: Buffer;
	readonly key: KeyObject;
}

/** Read once for each authority. */
const issuers = new WeakMap<Authority, Issuer>();

function issuerOf(authority: Authority): Issuer {
	const known = issuers.get(authority);
	if (known !== undefined) return known;
	const { raw, publicKey } = new X509Certificate(authority.certPem);
	const identifier = subjectKeyIdentifierOf(raw) ?? keyIdentifier(derOf(publicKey));
	const issuer = { name: subjectOf(raw), keyIdentifier: identifier, key: createPrivateKey(authority.keyPem) };
	issuers.set(authority, issuer);
	return issuer;
}

/** What a PKCS#10 request asks for. */
export interface SigningRequest {
	readonly commonName: string;
	readonly organizations: readonly string[];
	readonly dnsNames: readonly string[];
	readonly ipAddresses: readonly string[];
	readonly emailAddresses: readonly string[];
	readonly uris: readonly string[];
	/** SPKI PEM. */
	readonly publicPem: string;
}

/** Reads a PEM certificate request and checks its signature; AppError InvalidArgument says what is wrong. */
export async function readSigningRequest(csrPem: string): Promise<SigningRequest> {
	const lib = await x509();
	let csr: InstanceType<typeof lib.Pkcs10CertificateRequest>;
	try {
		csr = new lib.Pkcs10CertificateRequest(csrPem);
	} catch (cause) {
		throw new AppError('InvalidArgument', 'PEM block type must be CERTIFICATE REQUEST', { cause });
	}
	if (!(await csr.verify())) throw new AppError('InvalidArgument', 'The signature of the certificate request does not fit its key');
	const extension = csr.getExtension(SUBJECT_ALTERNATIVE_NAME);
	const names = extension === null ? [] : new lib.SubjectAlternativeNameExtension(extension.rawData).names.toJSON();
	const name = csr.subjectName;
	return {
		// As Go's crypto/x509, and as certificates are read: of several the last one counts.
		commonName: name.getField('CN').at(-1) ?? '',
		organizations: name.getField('O'),
		dnsNames: names.filter((n) => n.type === 'dns').map((n) => n.value),
		ipAddresses: names.filter((n) => n.type === 'ip').map((n) => n.value),
		emailAddresses: names.filter((n) => n.type === 'email').map((n) => n.value),
		uris: names.filter((n) => n.type === 'url').map((n) => n.value),
		publicPem: csr.publicKey.toString('pem'),
	};
}

/** Makes a PEM certificate request. @param key PKCS#8 PEM; made when absent */
export async function createSigningRequest(
	request: Omit<LeafRequest, 'usages' | 'days'>,
	key?: string,
): Promise<{ readonly csrPem: string; readonly keyPem: string }> {
	const lib = await x509();
	const privateKey = key === undefined ? newKey().privateKey : createPrivateKey(key);
	const keyPem = key ?? pkcs8(privateKey);
	const names = alternativeNames(request);
	const csr = await lib.Pkcs10CertificateRequestGenerator.create({
		name: subject(request.commonName, request.organizations ?? []),
		keys: { privateKey: await importPrivate(keyPem), publicKey: await importPublic(createPublicKey(privateKey)) },
		signingAlgorithm: ECDSA,
		extensions: names.length === 0 ? [] : [new lib.SubjectAlternativeNameExtension(names)],
	});
	return { csrPem: `${csr.toString('pem')}\n`, keyPem };
}

/** When a PEM certificate ends, ms since the epoch. */
export function expiresAt(certPem: string): number {
	return Date.parse(new X509Certificate(certPem).validTo);
}

function alternativeNames({
	dnsNames,
	ipAddresses,
}: Pick<LeafRequest, 'dnsNames' | 'ipAddresses'>): { readonly type: 'dns' | 'ip'; readonly value: string }[] {
	const of = (type: 'dns' | 'ip', values: readonly string[]): { readonly type: 'dns' | 'ip'; readonly value: string }[] =>
		values.map((value) => ({ type, value }));
	return [...of('dns', [...new Set(dnsNames)]), ...of('ip', addresses(ipAddresses))];
}

/** Each once; AppError InvalidArgument for one that is none. */
function addresses(given: readonly string[] = []): readonly string[] {
	for (const ip of given) if (isIP(ip) === 0) throw new AppError('InvalidArgument', `"${ip}" is not an IP address`);
	return [...new Set(given)];
}

/** For the library: as upstream writes names. */
function subject(commonName: string, organizations: readonly string[]): JsonName {
	return [...organizations.map((o) => ({ O: [o] })), { CN: [commonName] }];
}

/** ms since the epoch. */
function validity(days: number, clock: Clock): { readonly notBefore: number; readonly notAfter: number } {
	return { notBefore: clock.now() - BACKDATE_MS, notAfter: clock.now() + days * DAY_MS };
}

/** 127 random bits, positive. */
export function serial(): string {
	return serialBytes().toString('hex');
}

function serialBytes(): Buffer {
	const bytes = randomBytes(16);
	bytes[0] = (bytes[0] ?? 0) & 0x7f;
	return bytes;
}

function newKey(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
	return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function pkcs8(key: KeyObject): string {
	return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function derOf(key: KeyObject): Buffer {
	return key.export({ type: 'spki', format: 'der' });
}

const der = (text: string): Buffer => Buffer.from(text.replace(/-----[^-]+-----|\s/g, ''), 'base64');

/** An authority's key for the library, of any kind and form that can sign; AppError InvalidArgument for another. */
export async function importAuthorityKey(
	keyPem: string,
): Promise<{ readonly signingKey: webcrypto.CryptoKey; readonly signingAlgorithm: { readonly name: string; readonly hash: string } }> {
	const key = createPrivateKey(keyPem);
	const { digest, key: kind } = signatureOf(key);
	const hash = digest.replace('sha', 'SHA-');
	const algorithm = kind === 'RSA' ? { name: 'RSASSA-PKCS1-v1_5', hash } : { name: 'ECDSA', namedCurve: WEB_CURVES[kind] ?? kind, hash };
	const bytes = key.export({ type: 'pkcs8', format: 'der' });
	return { signingKey: await webcrypto.subtle.importKey('pkcs8', bytes, algorithm, true, ['sign']), signingAlgorithm: algorithm };
}

/** What the platform's crypto for the web calls curves. */
const WEB_CURVES: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

export function importPrivate(keyPem: string): Promise<webcrypto.CryptoKey> {
	return webcrypto.subtle.importKey('pkcs8', der(keyPem), ECDSA, true, ['sign']);
}

function importPublic(key: KeyObject): Promise<webcrypto.CryptoKey> {
	return webcrypto.subtle.importKey('spki', derOf(key), ECDSA, true, ['verify']);
}

export function pem(certificate: { toString(format: 'pem'): string }): string {
	return `${certificate.toString('pem')}\n`;
}
