/** The keys of service-account tokens: one signs, all verify; their public halves are served as JWKS. ES256 unless the key is RSA. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, SignJWT, type JWK } from 'jose';

export interface ServiceAccountKeys {
	sign(payload: Readonly<Record<string, unknown>>): Promise<string>;
	/** The public key of a token's header; undefined when its algorithm or key id is not ours. */
	find(header: { readonly kid?: string | undefined; readonly alg?: string | undefined }): KeyObject | undefined;
	readonly jwks: { readonly keys: readonly JWK[] };
	/** Algorithms in use, for the discovery document. */
	readonly algorithms: readonly string[];
}

interface PublicKey {
	readonly kid: string;
	readonly alg: string;
	readonly key: KeyObject;
	readonly jwk: JWK;
}

/** @param signingKey PEM of the private key; @param formerKeys PEMs whose tokens are still good */
export async function serviceAccountKeys(signingKey: string, formerKeys: readonly string[] = []): Promise<ServiceAccountKeys> {
	const signer = createPrivateKey(signingKey);
	const own = await publicKey(signer);
	const all = [own, ...(await Promise.all(formerKeys.map((pem) => publicKey(createPublicKey(pem)))))];
	return {
		sign: (payload) => new SignJWT({ ...payload }).setProtectedHeader({ alg: own.alg, kid: own.kid }).sign(signer),
		find: ({ kid, alg }) => all.find((key) => key.alg === alg && (kid === undefined || key.kid === kid))?.key,
		jwks: { keys: all.map((key) => key.jwk) },
		algorithms: [...new Set(all.map((key) => key.alg))],
	};
}

async function publicKey(from: KeyObject): Promise<PublicKey> {
	const key = from.type === 'private' ? createPublicKey(from) : from;
	const alg = key.asymmetricKeyType === 'rsa' ? 'RS256' : 'ES256';
	const jwk = await exportJWK(key);
	const kid = await calculateJwkThumbprint(jwk);
	return { kid, alg, key, jwk: { use: 'sig', kid, alg, ...jwk } };
}
