/** The protobuf wire format: varints and fields, read and written. Nothing here knows Kubernetes. */

export const WIRE = { varint: 0, fixed64: 1, bytes: 2 } as const;

/** Appends to a buffer that grows. */
export class WireWriter {
	#buffer = Buffer.allocUnsafe(1024);
	#at = 0;

	get length(): number {
		return this.#at;
	}

	#room(bytes: number): void {
		if (this.#at + bytes <= this.#buffer.length) return;
		const bigger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + bytes));
		this.#buffer.copy(bigger, 0, 0, this.#at);
		this.#buffer = bigger;
	}

	varint(value: number | bigint): void {
		this.#room(10);
		if (typeof value === 'number' && value >= 0 && value <= 0xffffffff) {
			let n = value;
			while (n > 127) {
				this.#buffer[this.#at++] = (n & 127) | 128;
				n = Math.floor(n / 128);
			}
			this.#buffer[this.#at++] = n;
			return;
		}
		let n = BigInt.asUintN(64, BigInt(value));
		while (n > 127n) {
			this.#buffer[this.#at++] = Number(n & 127n) | 128;
			n >>= 7n;
		}
		this.#buffer[this.#at++] = Number(n);
	}

	tag(number: number, wire: keyof typeof WIRE): void {
		this.varint((number << 3) | WIRE[wire]);
	}

	bytes(number: number, value: Uint8Array): void {
		this.tag(number, 'bytes');
		this.varint(value.length);
		this.#room(value.length);
		this.#buffer.set(value, this.#at);
		this.#at += value.length;
	}

	string(number: number, value: string): void {
		const length = Buffer.byteLength(value);
		this.tag(number, 'bytes');
		this.varint(length);
		this.#room(length);
		this.#buffer.write(value, this.#at, 'utf8');
		this.#at += length;
	}

	double(value: number): void {
		this.#room(8);
		this.#buffer.writeDoubleLE(value, this.#at);
		this.#at += 8;
	}

	/** A message: `write` writes its fields; the length is put in front afterwards. */
	message(number: number, write: () => void): void {
		this.tag(number, 'bytes');
		const start = this.#at;
		write();
		const size = this.#at - start;
		const head = size < 128 ? 1 : size < 16384 ? 2 : size < 2097152 ? 3 : size < 268435456 ? 4 : 5;
		this.#room(head);
		this.#buffer.copyWithin(start + head, start, this.#at);
		this.#at = start;
		this.varint(size);
		this.#at = start + head + size;
	}

	finish(): Buffer {
		return Buffer.from(this.#buffer.subarray(0, this.#at));
	}
}

/** One field as it stands on the wire. */
export type WireValue = bigint | Buffer;

/** The fields of a message by number, in order. RangeError when the bytes end too soon or hold a wire type of groups. */
export function readFields(bytes: Buffer): Map<number, WireValue[]> {
	const out = new Map<number, WireValue[]>();
	let at = 0;
	const varint = (): bigint => {
		let small = 0;
		for (let shift = 0; shift < 28; shift += 7) {
			const byte = bytes[at++];
			if (byte === undefined) throw new RangeError('unexpected EOF');
			small |= (byte & 127) << shift;
			if (byte < 128) return BigInt(small >>> 0);
		}
		let big = BigInt(small >>> 0);
		for (let shift = 28n; shift < 70n; shift += 7n) {
			const byte = bytes[at++];
			if (byte === undefined) throw new RangeError('unexpected EOF');
			big |= BigInt(byte & 127) << shift;
			if (byte < 128) return BigInt.asUintN(64, big);
		}
		throw new RangeError('integer overflow');
	};
	const take = (length: number): Buffer => {
		if (at + length > bytes.length) throw new RangeError('unexpected EOF');
		at += length;
		return bytes.subarray(at - length, at);
	};
	while (at < bytes.length) {
		const tag = Number(varint());
		const number = tag >>> 3;
		let value: WireValue;
		switch (tag & 7) {
			case 0:
				value = varint();
				break;
			case 1:
				value = take(8);
				break;
			case 2:
				value = take(Number(varint()));
				break;
			case 5:
				value = take(4);
				break;
			default:
				throw new RangeError(`illegal wireType ${tag & 7}`);
		}
		const list = out.get(number);
		if (list === undefined) out.set(number, [value]);
		else list.push(value);
	}
	return out;
}
