/**
 * Values of CEL while an expression runs: int is bigint, double is number, lists and maps are read through an interface so that JSON is
 * wrapped and not copied.
 */
export type Value =
	| null
	| boolean
	| string
	| bigint
	| number
	| Uint8Array
	| Uint
	| Timestamp
	| Duration
	| ListValue
	| MapValue
	| TypeValue
	| Optional
	| Opaque;

export class Uint {
	readonly value: bigint;
	constructor(value: bigint) {
		this.value = value;
	}
}

/** A point in time, nanoseconds since 1970 UTC, and the offset that it was written with. */
export class Timestamp {
	readonly nanos: bigint;
	readonly offsetMinutes: number;
	constructor(nanos: bigint, offsetMinutes = 0) {
		this.nanos = nanos;
		this.offsetMinutes = offsetMinutes;
	}
}

export class Duration {
	readonly nanos: bigint;
	constructor(nanos: bigint) {
		this.nanos = nanos;
	}
}

export class TypeValue {
	readonly name: string;
	constructor(name: string) {
		this.name = name;
	}
}

export class Optional {
	static readonly none = new Optional(undefined);
	readonly value: Value | undefined;
	private constructor(value: Value | undefined) {
		this.value = value;
	}
	static of(value: Value): Optional {
		return new Optional(value);
	}
}

/** A value of a library: quantity, IP address, URL, …; methods of its type read `value`. */
export class Opaque<T = unknown> {
	readonly typeName: string;
	readonly value: T;
	/** What comparing it walks. */
	readonly size: number;
	readonly #equals: ((a: never, b: never) => boolean) | undefined;
	constructor(typeName: string, value: T, equals?: (a: T, b: T) => boolean, size = 1) {
		this.typeName = typeName;
		this.value = value;
		this.size = size;
		this.#equals = equals;
	}
	equals(other: Opaque): boolean {
		if (other.typeName !== this.typeName) return false;
		return this.#equals === undefined ? other.value === this.value : this.#equals(this.value as never, other.value as never);
	}
}

/** What tells items of a list apart whose order says nothing: sets, and lists keyed by fields of their items. */
export interface Membership {
	keyOf(item: Value): string;
	/** Whether items of one key may differ. */
	readonly isKeyed: boolean;
}

export abstract class ListValue {
	abstract readonly size: number;
	/** Undefined: order matters, and items may occur twice. */
	readonly membership: Membership | undefined;
	abstract at(index: number): Value;
	*[Symbol.iterator](): Generator<Value> {
		const { size } = this;
		for (let i = 0; i < size; i++) yield this.at(i);
	}
}

/** Maps and objects alike; an object's keys are its fields. */
export abstract class MapValue {
	/** "map", or the object type's name. */
	readonly typeName: string = 'map';
	abstract readonly size: number;
	abstract get(key: Value): Value | undefined;
	abstract keys(): Iterable<Value>;
	has(key: Value): boolean {
		return this.get(key) !== undefined;
	}
	/** A field that is kept though nothing declares it. */
	isUndeclared(_key: Value): boolean {
		return false;
	}
}

export class ArrayList extends ListValue {
	readonly items: readonly Value[];
	override readonly membership: Membership | undefined;
	constructor(items: readonly Value[], membership?: Membership) {
		super();
		this.items = items;
		this.membership = membership;
	}
	get size(): number {
		return this.items.length;
	}
	at(index: number): Value {
		return this.items[index] as Value;
	}
}

/** A map made by an expression. Keys are bool, int, uint or string; numbers that are equal are one key. */
export class EntryMap extends MapValue {
	override readonly typeName: string;
	readonly #entries = new Map<unknown, readonly [Value, Value]>();
	constructor(entries: Iterable<readonly [Value, Value]>, typeName = 'map') {
		super();
		this.typeName = typeName;
		for (const [key, value] of entries) this.#entries.set(hashOf(key), [key, value]);
	}
	get size(): number {
		return this.#entries.size;
	}
	get(key: Value): Value | undefined {
		return this.#entries.get(hashOf(key))?.[1];
	}
	*keys(): Generator<Value> {
		for (const [key] of this.#entries.values()) yield key;
	}
}

function hashOf(key: Value): unknown {
	if (typeof key === 'bigint') return key;
	if (key instanceof Uint) return key.value;
	if (typeof key === 'number') return Number.isInteger(key) ? BigInt(key) : key;
	return key;
}

const PLAIN: Readonly<Record<string, string>> = { boolean: 'bool', string: 'string', bigint: 'int', number: 'double' };

/** The name that type(value) has. */
export function typeNameOf(value: Value): string {
	if (value === null) return 'null_type';
	const plain = PLAIN[typeof value];
	if (plain !== undefined) return plain;
	if (typeof value !== 'object') return '';
	if (value instanceof Uint8Array) return 'bytes';
	if (value instanceof Uint) return 'uint';
	if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
	if (value instanceof Duration) return 'google.protobuf.Duration';
	if (value instanceof ListValue) return 'list';
	if (value instanceof TypeValue) return 'type';
	if (value instanceof Optional) return 'optional_type';
	return value.typeName;
}

/** Characters, bytes, items or keys; undefined for what has no size. */
export function sizeOf(value: Value): number | undefined {
	if (typeof value === 'string') return lengthOf(value);
	if (value instanceof Uint8Array) return value.length;
	if (value instanceof ListValue || value instanceof MapValue || value instanceof Opaque) return value.size;
	if (value instanceof Optional && value.value !== undefined) return sizeOf(value.value);
	return undefined;
}

/** Code points of a text. */
export function lengthOf(text: string): number {
	let count = text.length;
	for (let i = 0; i < text.length - 1; i++) {
		const code = text.charCodeAt(i);
		if (code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
			count--;
			i++;
		}
	}
	return count;
}

/** A map's key as error messages show it. */
export function keyText(key: Value): string {
	if (typeof key === 'object') return key instanceof Uint ? key.value.toString() : typeNameOf(key);
	return key.toString();
}
