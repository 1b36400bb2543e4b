/** An issuer's public keys (RFC 7517), and whether one of them signed a token (coreos/go-oidc's remoteKeySet). */
import { compactVerify, importJWK, type CryptoKey, type JWK } from 'jose';

export class KeySet {
	readonly #keys: readonly JWK[];
	/** By the key's place and the algorithm it is used with; undefined: it is none for that. */
	readonly #imported = new Map<string, Promise<CryptoKey | undefined>>();

	/** @param document what the issuer's URL of keys answers; throws where it is no key set */
	constructor(document: unknown) {
		const { keys } = (document ?? {}) as { readonly keys?: unknown };
		if (!Array.isArray(keys) || !keys.every((key) => typeof key === 'object' && key !== null)) throw new Error('it is no JSON Web Key Set');
		this.#keys = keys as readonly JWK[];
	}

	/** A token that names no key may be signed by any of them. */
	async signed(token: string, algorithm: string, keyId: string): Promise<boolean> {
		for (const [i, key] of this.#keys.entries()) {
			if (keyId !== '' && key.kid !== keyId) continue;
			const imported = await this.#import(i, key, algorithm);
			if (imported === undefined) continue;
			try {
				await compactVerify(token, imported, { algorithms: [algorithm] });
				return true;
			} catch {
				// another key may have signed it
			}
		}
		return false;
	}

	#import(at: number, key: JWK, algorithm: string): Promise<CryptoKey | undefined> {
		const name = `${at} ${algorithm}`;
		let imported = this.#imported.get(name);
		if (imported === undefined) {
			// A secret is no public key: whoever knows the document could sign.
			const made = key.kty === 'oct' ? Promise.resolve(undefined) : importJWK({ ...key, alg: algorithm }, algorithm);
			imported = made.then((got) => (got instanceof Uint8Array ? undefined : got)).catch(() => undefined);
			this.#imported.set(name, imported);
		}
		return imported;
	}
}
