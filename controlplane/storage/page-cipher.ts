/** Pages that leave memory are unreadable without a key that no one but this process has, where values are to be encrypted at rest. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-ctr';
const BLOCK_BYTES = 16;

export class PageCipher {
	readonly #key = randomBytes(32);
	#sealed = 0;

	/** `nonce` belongs to these bytes alone. */
	seal(bytes: Buffer): { readonly nonce: number; readonly bytes: Buffer } {
		const nonce = ++this.#sealed;
		return { nonce, bytes: createCipheriv(ALGORITHM, this.#key, counter(nonce, 0)).update(bytes) };
	}

	/** A part of what was sealed, from `at` on. */
	open(nonce: number, at: number, bytes: Buffer): Buffer {
		const decipher = createDecipheriv(ALGORITHM, this.#key, counter(nonce, Math.floor(at / BLOCK_BYTES)));
		decipher.update(Buffer.alloc(at % BLOCK_BYTES));
		return decipher.update(bytes);
	}
}

/** The first block's counter: no two blocks under one key have the same (NIST SP 800-38A, appendix B). */
function counter(nonce: number, block: number): Buffer {
	const bytes = Buffer.alloc(BLOCK_BYTES);
	bytes.writeBigUInt64BE(BigInt(nonce), 0);
	bytes.writeBigUInt64BE(BigInt(block), 8);
	return bytes;
}
