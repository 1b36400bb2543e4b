/** The ciphers of upstream's encryption providers (k8s.io/apiserver/pkg/storage/value/encrypt), byte for byte. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';

export interface Cipher {
	encrypt(plain: Uint8Array, name: string): Uint8Array;
	/** Throws when the key is not the one, the name is another, or the bytes were changed. */
	decrypt(sealed: Uint8Array, name: string): Uint8Array;
}

export type CipherName = 'aescbc' | 'aesgcm' | 'secretbox';

/** Lengths in bytes that a key may have. */
export const KEY_LENGTHS: Readonly<Record<CipherName, readonly number[]>> = { aescbc: [16, 24, 32], aesgcm: [16, 24, 32], secretbox: [32] };

const CBC_IV = 16;
const GCM_NONCE = 12;
const GCM_TAG = 16;
const BOX_NONCE = 24;

/** IV, then the padded blocks. Nothing binds the name. */
function aescbc(key: Buffer): Cipher {
	const algorithm = `aes-${key.length * 8}-cbc`;
	return {
		encrypt(plain) {
			const iv = randomBytes(CBC_IV);
			const cipher = createCipheriv(algorithm, key, iv);
			return Buffer.concat([iv, cipher.update(plain), cipher.final()]);
		},
		decrypt(sealed) {
			const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, CBC_IV));
			return Buffer.concat([decipher.update(sealed.subarray(CBC_IV)), decipher.final()]);
		},
	};
}

/** Nonce, ciphertext, tag; the name is authenticated. */
function aesgcm(key: Buffer): Cipher {
	const algorithm = `aes-${key.length * 8}-gcm` as 'aes-256-gcm';
	return {
		encrypt(plain, name) {
			const nonce = randomBytes(GCM_NONCE);
			const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(name));
			return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
		},
		decrypt(sealed, name) {
			const end = sealed.length - GCM_TAG;
			const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, GCM_NONCE), { authTagLength: GCM_TAG });
			decipher.setAAD(Buffer.from(name)).setAuthTag(sealed.subarray(end));
			return Buffer.concat([decipher.update(sealed.subarray(GCM_NONCE, end)), decipher.final()]);
		},
	};
}

/** NaCl's secretbox: nonce, tag, ciphertext. Nothing binds the name. */
function secretbox(key: Buffer): Cipher {
	return {
		encrypt(plain) {
			const nonce = randomBytes(BOX_NONCE);
			return Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(plain)]);
		},
		decrypt: (sealed) => xsalsa20poly1305(key, sealed.subarray(0, BOX_NONCE)).decrypt(sealed.subarray(BOX_NONCE)),
	};
}

export const CIPHERS: Readonly<Record<CipherName, (key: Buffer) => Cipher>> = { aescbc, aesgcm, secretbox };
