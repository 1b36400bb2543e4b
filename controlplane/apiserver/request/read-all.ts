/** A request's body in one piece. */
import type { Readable } from 'node:stream';
import { requestEntityTooLarge } from '../../../api/status.ts';
import { AppError } from '../../../base/errors.ts';

/** One for all: an error made at the end of every stream would cost more than the stream. */
export const GONE = new AppError('Canceled', 'The client went away');

/** By events: an async iterator costs several times as much for the one chunk that most bodies are. */
export function readAll(
	source: Readable,
	begun: Uint8Array | null,
	limitBytes: number,
	onClose: (fn: (why: Error) => void) => void,
): Promise<Uint8Array> {
	if (source.destroyed) return Promise.reject(GONE);
	return new Promise((resolve, reject) => {
		const chunks: Uint8Array[] = begun === null ? [] : [begun];
		let size = begun?.length ?? 0;
		source.on('data', (chunk: Uint8Array) => {
			size += chunk.length;
			if (size > limitBytes) {
				chunks.length = 0;
				reject(requestEntityTooLarge(limitBytes));
			} else chunks.push(chunk);
		});
		// Each happens once; `once` would make a wrapper for each.
		source.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)));
		onClose(reject);
	});
}
