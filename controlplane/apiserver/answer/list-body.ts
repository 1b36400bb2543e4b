/**
 * A list as an answer: many objects copied into pieces, each while the client takes the one before. Where pieces come back once they are sent, one
 * buffer serves all of them: new ones would be megabytes of garbage for each list, and the collector's long turns with them.
 */
import { sizeOf } from '../../storage/store.ts';
import { versionText, type Piece } from './canonical.ts';
import { PushedBody, type Outlet } from './pushed-body.ts';

const [COMMA, OPEN] = [0x2c, 0x7b];
/** What an object may go beyond a piece without being larger than a piece itself. */
const SPARE_BYTES = 4096;
/** No version with what is around it is longer. */
const VERSION_BYTES = 64;
/** Without a view of the bytes for each half of each object. */
const { copy } = Buffer.prototype;

export interface ListText {
	/** What stands before the first object and behind the last one, ASCII. */
	readonly first: string;
	readonly last: string;
	/** Length of `headOf`, to leave out kind and apiVersion as lists do. */
	readonly skip: number;
	readonly pieceBytes: number;
}

export class ListBody extends PushedBody {
	readonly #items: readonly Piece[];
	readonly #text: ListText;
	#outlet: Outlet | undefined;
	#sentBytes = 0;
	/** Objects before this one are in pieces. */
	#next = 0;
	#begun = false;
	/** The last piece is made. */
	#done = false;
	/** May be filled again. */
	#free: Buffer | undefined;
	/** Filled, and with the outlet. */
	#lent: Buffer | undefined;
	/** Made by `whole`. */
	#made: Uint8Array | undefined;

	constructor(items: readonly Piece[], text: ListText) {
		super();
		this.#items = items;
		this.#text = text;
	}

	/** All of it where it is one piece; before it starts. */
	whole(): Uint8Array | undefined {
		this.#made ??= this.#piece();
		return this.#done ? this.#made : undefined;
	}

	start(outlet: Outlet): void {
		this.#outlet = outlet;
		this.#push(outlet);
	}

	resume(): void {
		const outlet = this.#outlet;
		if (outlet === undefined) return;
		if (outlet.returns === true) this.#free = this.#lent;
		this.#push(outlet);
	}

	close(): void {
		this.#outlet = this.#free = this.#lent = this.#made = undefined;
	}

	#push(outlet: Outlet): void {
		try {
			for (let more = true; more && this.#outlet === outlet; ) {
				const piece = this.#made ?? this.#piece();
				this.#made = undefined;
				more = outlet.write(piece);
				if (this.#done) this.#end();
			}
		} catch (error) {
			this.#end(error);
		}
	}

	#end(error?: unknown): void {
		const outlet = this.#outlet;
		this.close();
		outlet?.end(error);
	}

	#piece(): Uint8Array {
		const { first, last, skip, pieceBytes } = this.#text;
		const items = this.#items;
		let out = this.#free ?? Buffer.allocUnsafe(this.#room());
		this.#free = undefined;
		let at = 0;
		if (!this.#begun) {
			this.#begun = true;
			at = out.write(first, 'latin1');
		}
		for (; this.#next < items.length && at < pieceBytes; this.#next++) {
			const { value, revision } = items[this.#next] as Piece;
			const { bytes, versionAt } = value;
			const version = revision === undefined ? '' : versionText(revision);
			const need = bytes.length + version.length + last.length + 2;
			if (at + need > out.length) {
				if (at > 0) return this.#lend(out, at);
				out = Buffer.allocUnsafe(need);
			}
			if (this.#next > 0) out[at++] = COMMA;
			if (skip > 0) out[at++] = OPEN;
			at += copy.call(bytes, out, at, skip, versionAt);
			at += out.write(version, at, 'latin1');
			at += copy.call(bytes, out, at, versionAt, bytes.length);
		}
		if (this.#next === items.length) {
			if (at + last.length > out.length) return this.#lend(out, at);
			at += out.write(last, at, 'latin1');
			this.#done = true;
		}
		return this.#lend(out, at);
	}

	/** As much as a piece may take; less where less is left. */
	#room(): number {
		const { first, last, pieceBytes } = this.#text;
		const most = pieceBytes + SPARE_BYTES;
		let bytes = first.length + last.length;
		for (let i = this.#next; i < this.#items.length && bytes < most; i++) bytes += sizeOf((this.#items[i] as Piece).value) + VERSION_BYTES;
		return Math.min(bytes, most);
	}

	override get sentBytes(): number {
		return this.#sentBytes;
	}

	#lend(out: Buffer, length: number): Uint8Array {
		this.#sentBytes += length;
		this.#lent = out;
		return out.subarray(0, length);
	}
}
