/** Messages on the stream of a call: a flag, a length and so many bytes each (gRPC over HTTP/2, Length-Prefixed-Message). */
import { gunzipSync, inflateSync } from 'node:zlib';
import { AppError } from '../../base/errors.ts';

/** The kubelet's limit, and so everybody's who says no other. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Flag and length. */
export const PREFIX_BYTES = 5;
const COMPRESSED = 1;

type Inflate = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer;

/** What peers may pack messages with; nothing is packed here. */
const ENCODINGS = new Map<unknown, Inflate>([
	['gzip', gunzipSync],
	['deflate', inflateSync],
]);
export const ACCEPTED_ENCODINGS = ['identity', ...ENCODINGS.keys()].join(',');

/** @throws AppError ResourceExhausted where it is too large for any peer */
export function framed(message: Uint8Array): Buffer {
	const { length } = message;
	if (length > MAX_MESSAGE_BYTES) throw tooLarge('trying to send message', length, MAX_MESSAGE_BYTES);
	const frame = Buffer.allocUnsafe(PREFIX_BYTES + length);
	frame[0] = 0;
	frame.writeUInt32BE(length, 1);
	frame.set(message, PREFIX_BYTES);
	return frame;
}

/** The messages of one stream, from the pieces that it comes in. */
export class Frames {
	readonly #inflate: Inflate | undefined;
	readonly #maxBytes: number;
	#pieces: Buffer[] = [];
	#length = 0;

	/** @throws AppError Unimplemented for an encoding ("grpc-encoding") that is not known */
	constructor(encoding: unknown, maxBytes = MAX_MESSAGE_BYTES) {
		this.#maxBytes = maxBytes;
		if (encoding === undefined || encoding === 'identity') return;
		this.#inflate = ENCODINGS.get(encoding);
		if (this.#inflate === undefined)
			throw new AppError('Unimplemented', `grpc: Decompressor is not installed for grpc-encoding ${JSON.stringify(encoding)}`);
	}

	/** What came last is no whole message. */
	get isPartial(): boolean {
		return this.#length > 0;
	}

	/** Whole messages, in order. */
	push(piece: Buffer): readonly Buffer[] {
		this.#pieces.push(piece);
		this.#length += piece.length;
		const messages: Buffer[] = [];
		while (this.#length >= PREFIX_BYTES) {
			const first = this.#pieces[0] as Buffer;
			const size = (first.length < PREFIX_BYTES ? this.#whole() : first).readUInt32BE(1);
			if (size > this.#maxBytes) throw tooLarge('grpc: received message', size, this.#maxBytes);
			const end = PREFIX_BYTES + size;
			if (this.#length < end) break;
			const whole = this.#whole();
			messages.push(this.#message(whole[0] ?? 0, whole.subarray(PREFIX_BYTES, end)));
			this.#pieces = whole.length === end ? [] : [whole.subarray(end)];
			this.#length -= end;
		}
		return messages;
	}

	#whole(): Buffer {
		const [first, second] = this.#pieces;
		if (first !== undefined && second === undefined) return first;
		const whole = Buffer.concat(this.#pieces, this.#length);
		this.#pieces = [whole];
		return whole;
	}

	#message(flag: number, bytes: Buffer): Buffer {
		if (flag === 0) return bytes;
		if (flag !== COMPRESSED) throw new AppError('Internal', `grpc: received unexpected payload format ${flag}`);
		if (this.#inflate === undefined) throw new AppError('Internal', 'grpc: compressed flag set with identity or empty encoding');
		try {
			return this.#inflate(bytes, { maxOutputLength: this.#maxBytes });
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
				throw new AppError('ResourceExhausted', `grpc: received message after decompression larger than max ${this.#maxBytes}`, {
					cause: error,
				});
			throw new AppError('Internal', 'grpc: failed to decompress the received message', { cause: error });
		}
	}
}

/** As Go's ends say it. */
function tooLarge(what: string, bytes: number, max: number): AppError {
	return new AppError('ResourceExhausted', `${what} larger than max (${bytes} vs. ${max})`);
}

/** A stream has ended in the middle of a message. */
export function unexpectedEnd(): AppError {
	return new AppError('Internal', 'unexpected EOF');
}
