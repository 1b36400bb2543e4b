/** Why a certificate and its key are no pair, in the words of Go's tls.X509KeyPair. Pure. */
import { createPrivateKey, createPublicKey, X509Certificate, type KeyObject } from 'node:crypto';
import { pemBlocks } from '../../pem-blocks.ts';

const KEY = 'PRIVATE KEY';
const KINDS: ReadonlySet<string> = new Set(['rsa', 'ec', 'ed25519']);

/** @param certPem @param keyPem as the secret has them. undefined: they are one. */
export function pairFault(certPem: Buffer, keyPem: Buffer): string | undefined {
	const certs = pemBlocks(certPem);
	const cert = certs.find(({ type }) => type === 'CERTIFICATE');
	if (cert === undefined) return certFault(certs.map(({ type }) => type));
	const keys = pemBlocks(keyPem);
	const key = keys.find(({ type }) => type === KEY || type.endsWith(` ${KEY}`));
	if (key === undefined) return keyFault(keys.map(({ type }) => type));
	const publicKey = certificateKey(cert.der);
	if (publicKey === undefined) return 'x509: malformed certificate';
	const privateKey = parsedKey(key.der);
	if (privateKey === undefined) return 'tls: failed to parse private key';
	const kind = publicKey.asymmetricKeyType ?? '';
	if (!KINDS.has(kind)) return 'tls: unknown public key algorithm';
	if (privateKey.asymmetricKeyType !== kind) return 'tls: private key type does not match public key type';
	return createPublicKey(privateKey).equals(publicKey) ? undefined : 'tls: private key does not match public key';
}

function certFault(types: readonly string[]): string {
	if (types.length === 0) return 'tls: failed to find any PEM data in certificate input';
	if (types.length === 1 && types[0]?.endsWith(KEY) === true)
		return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
	return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}

function keyFault(types: readonly string[]): string {
	if (types.length === 0) return 'tls: failed to find any PEM data in key input';
	if (types.length === 1 && types[0] === 'CERTIFICATE') return 'tls: found a certificate rather than a key in the PEM for the private key';
	return `tls: failed to find PEM block with type ending in "${KEY}" in key input after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}

function certificateKey(der: Buffer): KeyObject | undefined {
	try {
		return new X509Certificate(der).publicKey;
	} catch {
		return undefined;
	}
}

/** In any of the three forms, whatever the block says. */
function parsedKey(der: Buffer): KeyObject | undefined {
	for (const type of ['pkcs1', 'pkcs8', 'sec1'] as const) {
		try {
			return createPrivateKey({ key: der, format: 'der', type });
		} catch {
			// The next form may be it.
		}
	}
	return undefined;
}
