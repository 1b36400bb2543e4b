/** The keys of service-account tokens: one signs, all verify; their public halves are served as JWKS. ES256 unless the key is RSA. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { SignJWT, type JWK } from 'jose';

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
	const own = publicKey(signer);
	const all = [own, ...formerKeys.map((pem) => publicKey(createPublicKey(pem)))];
	return {
		sign: (payload) => new SignJWT({ ...payload }).setProtectedHeader({ alg: own.alg, kid: own.kid }).sign(signer),
		find: ({ kid, alg }) => all.find((key) => key.alg === alg && (kid === undefined || key.kid === kid))?.key,
		jwks: { keys: all.map((key) => key.jwk) },
		algorithms: [...new Set(all.map((key) => key.alg))],
	};
}

function publicKey(from: KeyObject): PublicKey {
	const key = from.type === 'private' ? createPublicKey(from) : from;
	const alg = key.asymmetricKeyType === 'rsa' ? 'RS256' : 'ES256';
	const jwk = key.export({ format: 'jwk' }) as JWK;
	const kid = thumbprint(jwk);
	return { kid, alg, key, jwk: { use: 'sig', kid, alg, ...jwk } };
}

/** RFC 7638: the members that make the key, in the order of their names. What jose has for it loads all of WebCrypto, which nothing else needs at a start. */
function thumbprint({ kty, crv, x, y, n, e }: JWK): string {
	const members = kty === 'RSA' ? { e, kty, n } : { crv, kty, x, y };
	return createHash('sha256').update(JSON.stringify(members)).digest('base64url');
}
