/** The protobuf wire format: varints, fields and nested messages, read and written. Nothing here knows Kubernetes. */

export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
const FIXED32 = 5;
/** Groups belong to the first version of Protocol Buffers; nobody writes them. */
const START_GROUP = 3;
const END_GROUP = 4;

/** Strings up to this many characters are copied by hand, if ASCII: cheaper than crossing into native code. */
const SHORT = 40;

/** Appends to a buffer that grows. Reusable: `finish` starts anew. */
export class WireWriter {
	#buffer = Buffer.allocUnsafe(4096);
	#at = 0;

	#room(bytes: number): void {
		if (this.#at + bytes <= this.#buffer.length) return;
		const bigger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + bytes));
		this.#buffer.copy(bigger, 0, 0, this.#at);
		this.#buffer = bigger;
	}

	varint(value: number | bigint): void {
		this.#room(10);
		const buffer = this.#buffer;
		if (typeof value === 'number' && value >= 0 && value <= 0xffffffff) {
			let n = value;
			while (n > 127) {
				buffer[this.#at++] = (n & 127) | 128;
				n = n >>> 7;
			}
			buffer[this.#at++] = n;
			return;
		}
		let n = BigInt.asUintN(64, BigInt(value));
		while (n > 127n) {
			buffer[this.#at++] = Number(n & 127n) | 128;
			n >>= 7n;
		}
		buffer[this.#at++] = Number(n);
	}

	tag(number: number, wire: number): void {
		this.varint((number << 3) | wire);
	}

	bytes(number: number, value: Uint8Array): void {
		this.tag(number, BYTES);
		this.varint(value.length);
		this.raw(value);
	}

	/** Bytes as they are. */
	raw(value: Uint8Array): void {
		this.#room(value.length);
		this.#buffer.set(value, this.#at);
		this.#at += value.length;
	}

	string(number: number, value: string): void {
		this.tag(number, BYTES);
		const { length } = value;
		this.#room(length * 3 + 5);
		if (length <= SHORT && this.#ascii(value)) return;
		const size = Buffer.byteLength(value);
		this.varint(size);
		this.#at += this.#buffer.write(value, this.#at, 'utf8');
	}

	/** False, with nothing written, for anything but ASCII. */
	#ascii(value: string): boolean {
		const buffer = this.#buffer;
		const start = this.#at + 1;
		for (let i = 0; i < value.length; i++) {
			const code = value.charCodeAt(i);
			if (code > 127) return false;
			buffer[start + i] = code;
		}
		buffer[this.#at] = value.length;
		this.#at = start + value.length;
		return true;
	}

	double(value: number): void {
		this.#room(8);
		this.#buffer.writeDoubleLE(value, this.#at);
		this.#at += 8;
	}

	/** Begins a nested message; what `end` needs to close it. */
	begin(number: number): number {
		this.tag(number, BYTES);
		this.#room(1);
		return ++this.#at;
	}

	/** Puts the length in front: one byte was kept free for it, longer ones shift the message. */
	end(start: number): void {
		const size = this.#at - start;
		if (size < 128) {
			this.#buffer[start - 1] = size;
			return;
		}
		const more = size < 1 << 14 ? 1 : size < 1 << 21 ? 2 : size < 1 << 28 ? 3 : 4;
		this.#room(more);
		this.#buffer.copyWithin(start + more, start, this.#at);
		this.#at = start - 1;
		this.varint(size);
		this.#at = start + more + size;
	}

	finish(): Buffer {
		const out = Buffer.from(this.#buffer.subarray(0, this.#at));
		this.#at = 0;
		return out;
	}
}

/** A cursor over a message. RangeError, in the words of Go's decoder, when the bytes are not what they should be. */
export class WireReader {
	readonly #bytes: Buffer;
	#at: number;
	#end: number;

	constructor(bytes: Buffer) {
		this.#bytes = bytes;
		this.#at = 0;
		this.#end = bytes.length;
	}

	/** True while the current message has fields left. */
	get more(): boolean {
		return this.#at < this.#end;
	}

	/** An unsigned integer below 2^32, as tags and lengths are. */
	uint32(): number {
		const byte = this.#bytes[this.#at] ?? 128;
		if (byte < 128 && this.#at < this.#end) {
			this.#at++;
			return byte;
		}
		return Number(this.varint()) >>> 0;
	}

	/** A signed 64-bit integer: a number where that is exact. */
	varint(): number | bigint {
		let low = 0;
		for (let shift = 0; shift < 28; shift += 7) {
			const byte = this.#next();
			low |= (byte & 127) << shift;
			if (byte < 128) return low;
		}
		let big = BigInt(low);
		for (let shift = 28n; shift < 70n; shift += 7n) {
			const byte = this.#next();
			big |= BigInt(byte & 127) << shift;
			if (byte < 128) return exact(BigInt.asIntN(64, big));
		}
		throw new RangeError('proto: integer overflow');
	}

	#next(): number {
		if (this.#at >= this.#end) throw new RangeError('unexpected EOF');
		return this.#bytes[this.#at++] ?? 0;
	}

	/** The bytes of the field at hand, shared with the message. */
	take(length = this.uint32()): Buffer {
		if (length > this.#end - this.#at) throw new RangeError('unexpected EOF');
		this.#at += length;
		return this.#bytes.subarray(this.#at - length, this.#at);
	}

	string(): string {
		const length = this.uint32();
		if (length > this.#end - this.#at) throw new RangeError('unexpected EOF');
		const start = this.#at;
		this.#at += length;
		if (length > SHORT) return this.#bytes.toString('utf8', start, this.#at);
		let text = '';
		for (let i = start; i < this.#at; i++) {
			const byte = this.#bytes[i] ?? 0;
			if (byte > 127) return this.#bytes.toString('utf8', start, this.#at);
			text += String.fromCharCode(byte);
		}
		return text;
	}

	double(): number {
		return this.take(8).readDoubleLE(0);
	}

	/** Enters the nested message at hand; give the answer to `leave`. */
	enter(): number {
		const length = this.uint32();
		if (length > this.#end - this.#at) throw new RangeError('unexpected EOF');
		const outer = this.#end;
		this.#end = this.#at + length;
		return outer;
	}

	/** Goes on after the nested message, read or not. */
	leave(outer: number): void {
		this.#at = this.#end;
		this.#end = outer;
	}

	/** The tag of the next field of a message, by the message's Go name. */
	tag(message: string): number {
		const tag = this.uint32();
		const wire = tag & 7;
		if (wire === END_GROUP) throw new RangeError(`proto: ${message}: wiretype end group for non-group`);
		if (tag >>> 3 === 0) throw new RangeError(`proto: ${message}: illegal tag 0 (wire type ${wire})`);
		return tag;
	}

	/** Passes over a field that nobody knows. */
	skip(tag: number): void {
		const wire = tag & 7;
		switch (wire) {
			case VARINT:
				this.varint();
				return;
			case FIXED64:
				this.take(8);
				return;
			case BYTES:
				this.take();
				return;
			case FIXED32:
				this.take(4);
				return;
			case START_GROUP:
				return this.#skipGroup();
			case END_GROUP:
				throw new RangeError('proto: unexpected end of group');
			default:
				throw new RangeError(`proto: illegal wireType ${wire}`);
		}
	}

	#skipGroup(): void {
		for (let depth = 1; depth > 0; ) {
			const tag = this.uint32();
			if ((tag & 7) === START_GROUP) depth++;
			else if ((tag & 7) === END_GROUP) depth--;
			else this.skip(tag);
		}
	}
}

function exact(value: bigint): number | bigint {
	const number = Number(value);
	return Number.isSafeInteger(number) ? number : value;
}
