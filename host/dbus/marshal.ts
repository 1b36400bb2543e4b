/** D-Bus values as bytes, little endian (dbus-specification, "Marshaling"): the types that calls and signals of services use. Pure. */
import { AppError } from '../../base/errors.ts';

/** y, b, n, q, i, u, x, t, d, s, o, g, v; arrays as lists, structs as lists; 64-bit integers as bigints. */
export type Value = number | bigint | string | boolean | readonly Value[];

const SIZES: Readonly<Record<string, number>> = { y: 1, b: 4, n: 2, q: 2, i: 4, u: 4, x: 8, t: 8, d: 8, s: 4, o: 4, g: 1, v: 1, a: 4 };
/** The specification's own bound. */
const MAX_BYTES = 2 ** 27;

function alignment(signature: string): number {
	return signature[0] === '(' || signature[0] === '{' ? 8 : (SIZES[signature[0] ?? ''] ?? 1);
}

/** The first complete type of a signature, and the rest. */
function firstType(signature: string): readonly [string, string] {
	let depth = 0;
	for (let i = 0; i < signature.length; i++) {
		const c = signature[i] ?? '';
		if (c === '(' || c === '{') depth++;
		if (c === ')' || c === '}') depth--;
		if (depth === 0 && c !== 'a') return [signature.slice(0, i + 1), signature.slice(i + 1)];
	}
	throw new AppError('InvalidArgument', `"${signature}" is no D-Bus signature`);
}

function typesOf(signature: string): readonly string[] {
	const types: string[] = [];
	for (let rest = signature; rest !== ''; ) {
		const [type, more] = firstType(rest);
		types.push(type);
		rest = more;
	}
	return types;
}

export class Writer {
	#parts: Buffer[] = [];
	#length = 0;

	get bytes(): Buffer {
		return Buffer.concat(this.#parts);
	}

	get length(): number {
		return this.#length;
	}

	pad(to: number): void {
		const missing = (to - (this.#length % to)) % to;
		if (missing > 0) this.raw(Buffer.alloc(missing));
	}

	raw(bytes: Buffer): void {
		this.#parts.push(bytes);
		this.#length += bytes.length;
	}

	all(signature: string, values: readonly Value[]): void {
		for (const [i, type] of typesOf(signature).entries()) this.one(type, values[i] ?? '');
	}

	one(type: string, value: Value): void {
		this.pad(alignment(type));
		switch (type[0] ?? '') {
			case 'y':
				return this.raw(Buffer.from([Number(value)]));
			case 'b':
				return this.#u32(value === true ? 1 : 0);
			case 'u':
				return this.#u32(Number(value));
			case 'i': {
				const bytes = Buffer.alloc(4);
				bytes.writeInt32LE(Number(value));
				return this.raw(bytes);
			}
			case 't': {
				const bytes = Buffer.alloc(8);
				bytes.writeBigUInt64LE(BigInt(value as bigint));
				return this.raw(bytes);
			}
			case 's':
			case 'o': {
				const text = Buffer.from(value as string);
				this.#u32(text.length);
				return this.raw(Buffer.concat([text, Buffer.alloc(1)]));
			}
			case 'g': {
				const text = Buffer.from(value as string);
				return this.raw(Buffer.concat([Buffer.from([text.length]), text, Buffer.alloc(1)]));
			}
			case 'v': {
				const [inner, held] = value as readonly [string, Value];
				this.one('g', inner);
				return this.one(inner, held);
			}
			case '(':
				return this.all(type.slice(1, -1), value as readonly Value[]);
			case 'a': {
				const items = new Writer();
				for (const item of value as readonly Value[]) items.one(type.slice(1), item);
				this.#u32(items.length);
				this.pad(alignment(type.slice(1)));
				return this.raw(items.bytes);
			}
		}
		throw new AppError('Unimplemented', `D-Bus values of type "${type}" cannot be written`);
	}

	#u32(value: number): void {
		const bytes = Buffer.alloc(4);
		bytes.writeUInt32LE(value);
		this.raw(bytes);
	}
}

export class Reader {
	readonly #bytes: Buffer;
	#at = 0;

	constructor(bytes: Buffer) {
		this.#bytes = bytes;
	}

	get at(): number {
		return this.#at;
	}

	align(to: number): void {
		this.#at += (to - (this.#at % to)) % to;
	}

	all(signature: string): Value[] {
		return typesOf(signature).map((type) => this.one(type));
	}

	one(type: string): Value {
		this.align(alignment(type));
		switch (type[0] ?? '') {
			case 'y':
				return this.#take(1).readUInt8();
			case 'b':
				return this.#take(4).readUInt32LE() === 1;
			case 'n':
				return this.#take(2).readInt16LE();
			case 'q':
				return this.#take(2).readUInt16LE();
			case 'i':
				return this.#take(4).readInt32LE();
			case 'u':
				return this.#take(4).readUInt32LE();
			case 'h':
				return this.#take(4).readUInt32LE();
			case 'x':
				return this.#take(8).readBigInt64LE();
			case 't':
				return this.#take(8).readBigUInt64LE();
			case 'd':
				return this.#take(8).readDoubleLE();
			case 's':
			case 'o':
				return this.#text(this.#take(4).readUInt32LE());
			case 'g':
				return this.#text(this.#take(1).readUInt8());
			case 'v':
				return this.one(this.one('g') as string);
			case '(':
			case '{':
				return this.all(type.slice(1, -1));
			case 'a': {
				const length = this.#take(4).readUInt32LE();
				if (length > MAX_BYTES) throw new AppError('OutOfRange', `A D-Bus array of ${length} bytes is too long`);
				this.align(alignment(type.slice(1)));
				const end = this.#at + length;
				const items: Value[] = [];
				while (this.#at < end) items.push(this.one(type.slice(1)));
				return items;
			}
		}
		throw new AppError('Unimplemented', `D-Bus values of type "${type}" cannot be read`);
	}

	#text(length: number): string {
		return this.#take(length + 1)
			.subarray(0, length)
			.toString('utf8');
	}

	#take(length: number): Buffer {
		if (this.#at + length > this.#bytes.length) throw new AppError('OutOfRange', 'A D-Bus message ends too early');
		const found = this.#bytes.subarray(this.#at, this.#at + length);
		this.#at += length;
		return found;
	}
}
