/** The keys of service-account tokens: one signs, all verify; their public halves are served as JWKS. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { SignJWT, type JWK } from 'jose';
import { jwtAlgorithm, jwtKeyId, type JwtAlgorithm } from '../../../wire/tls/jwt-key.ts';
import { publicKeysIn } from '../../../wire/tls/pem.ts';

export interface ServiceAccountKeys {
	sign(payload: Readonly<Record<string, unknown>>): Promise<string>;
	/** The public keys that may have signed a token: of its key id, or all where it names none. */
	find(kid: string | undefined): readonly PublicKey[];
	readonly jwks: { readonly keys: readonly JWK[] };
	/** Algorithms in use, for the discovery document. */
	readonly algorithms: readonly string[];
}

export interface PublicKey {
	readonly kid: string;
	readonly alg: JwtAlgorithm;
	readonly key: KeyObject;
}

/** @param signingKey PEM of the private key; @param formerKeys PEMs whose tokens are still good */
export async function serviceAccountKeys(signingKey: string, formerKeys: readonly string[] = []): Promise<ServiceAccountKeys> {
	const signer = createPrivateKey(signingKey);
	const own = publicKey(createPublicKey(signer));
	const all = new Map([own, ...formerKeys.flatMap(publicKeysIn).map(publicKey)].map((key) => [key.kid, key]));
	const keys = [...all.values()];
	return {
		sign: (payload) => new SignJWT({ ...payload }).setProtectedHeader({ alg: own.alg, kid: own.kid }).sign(signer),
		find: (kid) => (kid === undefined || kid === '' ? keys : keys.filter((key) => key.kid === kid || thumbprint(key.key) === kid)),
		jwks: { keys: keys.map(jwkOf) },
		algorithms: [...new Set(keys.map(({ alg }) => alg))].toSorted(),
	};
}

function publicKey(key: KeyObject): PublicKey {
	return { kid: jwtKeyId(key), alg: jwtAlgorithm(key), key };
}

function jwkOf({ kid, alg, key }: PublicKey): JWK {
	const { kty, crv, ...numbers } = key.export({ format: 'jwk' }) as JWK;
	return { use: 'sig', kty, kid, ...(crv === undefined ? {} : { crv }), alg, ...numbers } as JWK;
}

/** RFC 7638, by which tokens of earlier versions name their key: those of secrets never end. */
function thumbprint(key: KeyObject): string {
	const { kty, crv, x, y, n, e } = key.export({ format: 'jwk' }) as JWK;
	const members = kty === 'RSA' ? { e, kty, n } : { crv, kty, x, y };
	return createHash('sha256').update(JSON.stringify(members)).digest('base64url');
}
