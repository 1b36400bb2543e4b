/**
 * Files of certificates and keys that a part is given: looked at before anything starts.
 * AppError NotFound and InvalidArgument name the flag or field, and the file; never what is in it.
 */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { AppError, messageOf } from '../../base/errors.ts';
import { certificatesIn, publicKeysIn } from '../../wire/tls/pem.ts';

/** @param name of the flag ("--token-auth-file") or of the configuration's field ("clientCaFile") */
export async function readNamed(name: string, path: string): Promise<string> {
	try {
		return await readFile(path, 'utf8');
	} catch (cause) {
		throw new AppError('NotFound', `${name} "${path}" cannot be read: ${messageOf(cause)}`, { cause });
	}
}

/** Certificates of authorities; a file without any would let nobody in, and say nothing. */
export async function readCertificates(name: string, path: string): Promise<string> {
	const pem = await readNamed(name, path);
	if (!holdsCertificates(pem)) throw wrong(name, path, 'does not contain any valid certificate');
	return pem;
}

function holdsCertificates(pem: string): boolean {
	try {
		return certificatesIn(pem).length > 0;
	} catch {
		return false;
	}
}

/** The key that signs tokens. */
export async function readSigningKey(name: string, path: string): Promise<string> {
	const pem = await readNamed(name, path);
	if (!isForTokens(privateKeyOf(pem))) throw wrong(name, path, 'does not contain a valid RSA or ECDSA private key');
	return pem;
}

/** Keys whose tokens are good: public or private ones, and those of certificates. */
export async function readTokenKeys(name: string, path: string): Promise<string> {
	const pem = await readNamed(name, path);
	let keys: readonly KeyObject[];
	try {
		keys = publicKeysIn(pem);
	} catch {
		keys = [];
	}
	if (!keys.some(isForTokens)) throw wrong(name, path, 'does not contain any valid RSA or ECDSA public keys');
	return pem;
}

/** A certificate and its key must be, and belong together. */
export function checkPair(
	names: readonly [string, string],
	paths: readonly [string, string],
	[certPem, keyPem]: readonly [string, string],
): void {
	if (!holdsCertificates(certPem)) throw wrong(names[0], paths[0], 'does not contain any valid certificate');
	const key = privateKeyOf(keyPem);
	if (key === undefined) throw wrong(names[1], paths[1], 'does not contain a valid private key');
	if (!new X509Certificate(certPem).checkPrivateKey(key))
		throw wrong(names[1], paths[1], `is not the private key of ${names[0]} "${paths[0]}"`);
}

function privateKeyOf(pem: string): KeyObject | undefined {
	try {
		return createPrivateKey(pem);
	} catch {
		return undefined;
	}
}

function isForTokens(key: KeyObject | undefined): boolean {
	return key?.asymmetricKeyType === 'rsa' || key?.asymmetricKeyType === 'ec';
}

function wrong(name: string, path: string, why: string): AppError {
	return new AppError('InvalidArgument', `${name} "${path}" ${why}`);
}
