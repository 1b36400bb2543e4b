/** A log file that stays bounded: at `maxBytes` it becomes `.1`, the older ones move on, the last is dropped. */
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export interface RotatingFileOptions {
	readonly path: string;
	/** 10 MiB unless told. */
	readonly maxBytes?: number;
	/** How many old files are kept beside the current one; 3 unless told. */
	readonly keep?: number;
}

/** Appends synchronously, so that the last lines before a crash are there. */
export class RotatingFile implements Disposable {
	readonly #path: string;
	readonly #maxBytes: number;
	readonly #keep: number;
	#fd: number;
	#size: number;

	constructor(options: RotatingFileOptions) {
		this.#path = options.path;
		this.#maxBytes = options.maxBytes ?? 10 * 1024 * 1024;
		this.#keep = options.keep ?? 3;
		mkdirSync(dirname(this.#path), { recursive: true });
		this.#fd = openSync(this.#path, 'a', 0o600);
		this.#size = fstatSync(this.#fd).size;
	}

	write(text: string): void {
		const bytes = Buffer.from(text);
		if (this.#size > 0 && this.#size + bytes.length > this.#maxBytes) this.#rotate();
		try {
			this.#size += writeSync(this.#fd, bytes);
		} catch {
			// A full disk must not stop who only wanted to say something.
		}
	}

	[Symbol.dispose](): void {
		closeSync(this.#fd);
	}

	/** Where it cannot, the old file goes on. It is closed last: its number must not become another file's while lines still go to it. */
	#rotate(): void {
		try {
			rmSync(`${this.#path}.${this.#keep}`, { force: true });
			for (let i = this.#keep - 1; i >= 1; i--) rename(`${this.#path}.${i}`, `${this.#path}.${i + 1}`);
			rename(this.#path, `${this.#path}.1`);
			const next = openSync(this.#path, 'a', 0o600);
			closeSync(this.#fd);
			this.#fd = next;
		} catch {
			// Try again when as much has been written once more.
		}
		this.#size = 0;
	}
}

function rename(from: string, to: string): void {
	try {
		renameSync(from, to);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
	}
}
