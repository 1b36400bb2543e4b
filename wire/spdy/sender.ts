/** What goes out on a connection: where that fails, what the peer said before it left can still be read, while Node.js would end both ways at once. */
import type { Duplex } from 'node:stream';
import { AppError } from '../../base/errors.ts';

type Done = (error?: Error | null) => void;

export class Sender {
	readonly #socket: Duplex;
	#fault: Error | undefined;

	constructor(socket: Duplex) {
		this.#socket = socket;
		const heard =
			(done: Done): Done =>
			(error) => {
				this.#fault ??= error ?? undefined;
				done();
			};
		const one = socket._write.bind(socket);
		socket._write = (chunk, encoding, done) => one(chunk, encoding, heard(done));
		const many = socket._writev?.bind(socket);
		if (many !== undefined) socket._writev = (chunks, done) => many(chunks, heard(done));
	}

	get isOpen(): boolean {
		return this.#fault === undefined && this.#socket.writable;
	}

	/** Rejects when the bytes do not go out, and from then on. */
	send(bytes: Uint8Array): Promise<void> {
		if (!this.isOpen) return Promise.reject(this.#fault ?? new AppError('Unavailable', 'The connection is closed'));
		return new Promise((resolve, reject) => {
			this.#socket.write(bytes, (error) => {
				const fault = this.#fault ?? error;
				if (fault) reject(fault);
				else resolve();
			});
		});
	}
}
