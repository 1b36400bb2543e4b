/** The file of pages that memory has no room for. It has no name, only its owner can read it, and it goes with the process: nothing in it is durable. */
import { closeSync, openSync, readSync, rmSync, write, writeSync } from 'node:fs';
import { AppError } from '../../base/errors.ts';
import type { PageCipher } from './page-cipher.ts';

/** Where a page lies. */
export interface Place {
	readonly at: number;
	readonly length: number;
	/** Of its cipher. */
	readonly nonce: number;
}

const UNIT_BYTES = 64 * 1024;
/** Beyond so many writes under way the next one is made at once: memory would fill with what waits. */
const MOST_WRITES = 8;

export class ValueFile {
	/** Its descriptor. */
	readonly fd: number;
	readonly #cipher: PageCipher | undefined;
	#length = 0;
	/** Places that may be used again, by size. */
	readonly #free = new Map<number, number[]>();
	/** A page that nothing points to has given its place back. */
	readonly #gone = new FinalizationRegistry<Place>((place) => this.#release(place));
	#writing = 0;
	#settled: PromiseWithResolvers<void> | undefined;
	#closed = false;

	private constructor(fd: number, cipher: PageCipher | undefined) {
		this.fd = fd;
		this.#cipher = cipher;
	}

	/** Makes it anew at the path, and takes its name away at once. */
	static open(path: string, cipher?: PageCipher): ValueFile {
		rmSync(path, { force: true });
		const fd = openSync(path, 'wx+', 0o600);
		rmSync(path);
		return new ValueFile(fd, cipher);
	}

	/** Tells when they can be read from the file; `page` holds their place until nothing holds it. Where many wait already, it is done at once. */
	write(page: object, plain: Buffer, written: (place: Place) => void, failed: (error: unknown) => void): void {
		if (this.#closed) return failed(closedError());
		const { length } = plain;
		const { nonce, bytes } = this.#cipher?.seal(plain) ?? { nonce: 0, bytes: plain };
		const place: Place = { at: this.#take(length), length, nonce };
		const end = (error: unknown): void => {
			if (error !== undefined) {
				this.#release(place);
				return failed(error);
			}
			this.#gone.register(page, place);
			written(place);
		};
		if (this.#writing < MOST_WRITES) this.#write(bytes, place.at, end);
		else end(this.#writeNow(bytes, place.at));
	}

	#write(bytes: Buffer, at: number, end: (error: unknown) => void): void {
		this.#writing++;
		write(this.fd, bytes, 0, bytes.length, at, (error, written) => {
			if (error === null && written < bytes.length) this.#write(bytes.subarray(written), at + written, end);
			else end(error ?? undefined);
			if (--this.#writing > 0) return;
			this.#settled?.resolve();
			this.#settled = undefined;
		});
	}

	#writeNow(bytes: Buffer, at: number): unknown {
		try {
			for (let done = 0; done < bytes.length; ) done += writeSync(this.fd, bytes, done, bytes.length - done, at + done);
			return undefined;
		} catch (error) {
			return error;
		}
	}

	/** At once, as from memory: the caller is in the middle of a read. */
	read({ at, nonce }: Place, from: number, length: number): Buffer {
		if (this.#closed) throw closedError();
		const bytes = Buffer.allocUnsafe(length);
		for (let done = 0; done < length; ) {
			const read = readSync(this.fd, bytes, done, length - done, at + from + done);
			if (read === 0) throw new AppError('DataLoss', 'The file of values ends before its time');
			done += read;
		}
		return this.#cipher?.open(nonce, from, bytes) ?? bytes;
	}

	#take(length: number): number {
		const size = sizeOf(length);
		const again = this.#free.get(size)?.pop();
		if (again !== undefined) return again;
		const at = this.#length;
		this.#length += size;
		return at;
	}

	#release({ at, length }: Place): void {
		const size = sizeOf(length);
		const same = this.#free.get(size);
		if (same === undefined) this.#free.set(size, [at]);
		else same.push(at);
	}

	/** How far the file reaches. */
	get bytes(): number {
		return this.#length;
	}

	/** Until no write is under way. */
	async settled(): Promise<void> {
		if (this.#writing === 0) return;
		this.#settled ??= Promise.withResolvers();
		await this.#settled.promise;
	}

	/** Once nothing is being written: its descriptor may be another file's then. */
	async close(): Promise<void> {
		if (this.#closed) return this.settled();
		this.#closed = true;
		await this.settled();
		closeSync(this.fd);
	}
}

function closedError(): AppError {
	return new AppError('Unavailable', 'The store is closed');
}

/** Sizes are few, so that a place fits again. */
function sizeOf(length: number): number {
	return Math.ceil(length / UNIT_BYTES) * UNIT_BYTES;
}
