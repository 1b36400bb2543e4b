/** A certificate authority in memory: makes itself, issues leaves, signs requests. ES256 keys; @peculiar/x509 is loaded on first use. */
import { createPublicKey, generateKeyPairSync, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Extension, JsonName, Name, X509CertificateGenerator } from '@peculiar/x509';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';

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
const USAGE_OID = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;

/** Loaded once it is needed. */
export async function x509(): Promise<typeof import('@peculiar/x509')> {
	await import('reflect-metadata'); // its dependency injection needs this first
	return import('@peculiar/x509');
}

/** Makes a self-signed CA. */
export async function createAuthority(request: { readonly commonName: string; readonly days: number }, clock: Clock): Promise<Authority> {
	const lib = await x509();
	const keys = newKey();
	const certificate = await lib.X509CertificateGenerator.createSelfSigned({
		serialNumber: serial(),
		name: subject(request.commonName, []),
		...validity(request.days, clock),
		keys: { privateKey: await importPrivate(keys.keyPem), publicKey: await importPublic(keys.publicPem) },
		signingAlgorithm: ECDSA,
		extensions: [
			new lib.BasicConstraintsExtension(true, undefined, true),
			new lib.KeyUsagesExtension(
				lib.KeyUsageFlags.keyCertSign | lib.KeyUsageFlags.digitalSignature | lib.KeyUsageFlags.keyEncipherment,
				true,
			),
			await lib.SubjectKeyIdentifierExtension.create(await importPublic(keys.publicPem)),
		],
	});
	return { certPem: pem(certificate), keyPem: keys.keyPem };
}

/** Makes a key and a certificate for it, signed by the authority. */
export async function issue(
	authority: Authority,
	request: LeafRequest,
	clock: Clock,
): Promise<{ readonly certPem: string; readonly keyPem: string }> {
	const keys = newKey();
	const certPem = await sign(authority, { ...request, publicPem: keys.publicPem }, clock);
	return { certPem, keyPem: keys.keyPem };
}

/** Signs a public key (SPKI PEM). */
export async function sign(authority: Authority, request: LeafRequest & { readonly publicPem: string }, clock: Clock): Promise<string> {
	const lib = await x509();
	const issuer = await issuerOf(authority);
	const params: Parameters<typeof X509CertificateGenerator.create>[0] = {
		serialNumber: serial(),
		subject: subject(request.commonName, request.organizations ?? []),
		issuer: issuer.name,
		...validity(request.days, clock),
		publicKey: await importPublic(request.publicPem),
		signingKey: issuer.signingKey,
		signingAlgorithm: ECDSA,
		extensions: await leafExtensions(request, issuer.keyIdentifier),
	};
	return pem(await lib.X509CertificateGenerator.create(params));
}

/** What every certificate of an authority has from it. */
interface Issuer {
	readonly name: Name;
	readonly keyIdentifier: Extension;
	readonly signingKey: webcrypto.CryptoKey;
}

/** Read once for each authority: reading is half the work of a signature. */
const issuers = new WeakMap<Authority, Promise<Issuer>>();

function issuerOf(authority: Authority): Promise<Issuer> {
	const known = issuers.get(authority);
	if (known !== undefined) return known;
	const reading = readIssuer(authority);
	issuers.set(authority, reading);
	reading.catch(() => issuers.delete(authority));
	return reading;
}

async function readIssuer({ certPem, keyPem }: Authority): Promise<Issuer> {
	const lib = await x509();
	const certificate = new lib.X509Certificate(certPem);
	return {
		name: certificate.subjectName,
		keyIdentifier: await lib.AuthorityKeyIdentifierExtension.create(certificate.publicKey),
		signingKey: await importPrivate(keyPem),
	};
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
		commonName: name.getField('CN')[0] ?? '',
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
	const keys = key === undefined ? newKey() : { keyPem: key, publicPem: publicOf(key) };
	const names = alternativeNames(request);
	const csr = await lib.Pkcs10CertificateRequestGenerator.create({
		name: subject(request.commonName, request.organizations ?? []),
		keys: { privateKey: await importPrivate(keys.keyPem), publicKey: await importPublic(keys.publicPem) },
		signingAlgorithm: ECDSA,
		extensions: names.length === 0 ? [] : [new lib.SubjectAlternativeNameExtension(names)],
	});
	return { csrPem: `${csr.toString('pem')}\n`, keyPem: keys.keyPem };
}

/** When a PEM certificate ends, ms since the epoch. */
export function expiresAt(certPem: string): number {
	return Date.parse(new X509Certificate(certPem).validTo);
}

async function leafExtensions(request: LeafRequest, issuerKeyIdentifier: Extension): Promise<Extension[]> {
	const lib = await x509();
	const names = alternativeNames(request);
	return [
		new lib.BasicConstraintsExtension(false, undefined, true),
		new lib.KeyUsagesExtension(lib.KeyUsageFlags.digitalSignature | lib.KeyUsageFlags.keyEncipherment, true),
		new lib.ExtendedKeyUsageExtension(request.usages.map((u) => USAGE_OID[u])),
		issuerKeyIdentifier,
		...(names.length === 0 ? [] : [new lib.SubjectAlternativeNameExtension(names)]),
	];
}

function alternativeNames(
	request: Pick<LeafRequest, 'dnsNames' | 'ipAddresses'>,
): { readonly type: 'dns' | 'ip'; readonly value: string }[] {
	for (const ip of request.ipAddresses ?? []) if (isIP(ip) === 0) throw new AppError('InvalidArgument', `"${ip}" is not an IP address`);
	const of = (type: 'dns' | 'ip', values: readonly string[] = []): { readonly type: 'dns' | 'ip'; readonly value: string }[] =>
		[...new Set(values)].map((value) => ({ type, value }));
	return [...of('dns', request.dnsNames), ...of('ip', request.ipAddresses)];
}

/** As upstream writes names: each organization a set of its own, the common name last. */
function subject(commonName: string, organizations: readonly string[]): JsonName {
	return [...organizations.map((o) => ({ O: [o] })), { CN: [commonName] }];
}

function validity(days: number, clock: Clock): { readonly notBefore: Date; readonly notAfter: Date } {
	return { notBefore: new Date(clock.now() - BACKDATE_MS), notAfter: new Date(clock.now() + days * DAY_MS) };
}

/** 127 random bits, positive. */
export function serial(): string {
	const bytes = randomBytes(16);
	bytes[0] = (bytes[0] ?? 0) & 0x7f;
	return bytes.toString('hex');
}

function newKey(): { readonly keyPem: string; readonly publicPem: string } {
	const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	return {
		keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
		publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
	};
}

function publicOf(keyPem: string): string {
	return createPublicKey(keyPem).export({ type: 'spki', format: 'pem' }).toString();
}

const der = (text: string): Buffer => Buffer.from(text.replace(/-----[^-]+-----|\s/g, ''), 'base64');

export function importPrivate(keyPem: string): Promise<webcrypto.CryptoKey> {
	return webcrypto.subtle.importKey('pkcs8', der(keyPem), ECDSA, true, ['sign']);
}

function importPublic(publicPem: string): Promise<webcrypto.CryptoKey> {
	return webcrypto.subtle.importKey('spki', der(publicPem), ECDSA, true, ['verify']);
}

export function pem(certificate: { toString(format: 'pem'): string }): string {
	return `${certificate.toString('pem')}\n`;
}
