/** Equality and order of values. Numbers compare across their types; values of different types are unequal, not an error. */
import { Duration, ListValue, MapValue, Opaque, Optional, Timestamp, TypeValue, Uint, type Membership, type Value } from './values.ts';

/** Both of one size, in any order; of keyed items those with one key are compared. */
function equalMembers(list: ListValue, { keyOf, isKeyed }: Membership, other: ListValue): boolean {
	const items = new Map([...list].map((item) => [keyOf(item), item]));
	for (const item of other) {
		const own = items.get(keyOf(item));
		if (own === undefined || (isKeyed && !equal(own, item))) return false;
	}
	return true;
}

export function equal(a: Value, b: Value): boolean {
	if (a === b) return true;
	if (isNumber(a) && isNumber(b)) return compareNumbers(a, b) === 0;
	if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
	if (a instanceof ListValue) return b instanceof ListValue && equalLists(a, b);
	if (a instanceof MapValue) return b instanceof MapValue && equalMaps(a, b);
	if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
	if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
	if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
	if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
	if (a instanceof Optional) {
		if (!(b instanceof Optional)) return false;
		return a.value === undefined || b.value === undefined ? a.value === b.value : equal(a.value, b.value);
	}
	return a instanceof Opaque && b instanceof Opaque && a.equals(b);
}

function equalLists(a: ListValue, b: ListValue): boolean {
	if (a.size !== b.size) return false;
	if (a.membership !== undefined) return equalMembers(a, a.membership, b);
	for (let i = 0; i < a.size; i++) if (!equal(a.at(i), b.at(i))) return false;
	return true;
}

function equalMaps(a: MapValue, b: MapValue): boolean {
	if (a.size !== b.size) return false;
	for (const key of a.keys()) {
		const [own, other] = [a.get(key), b.get(key)];
		// A field that is null is none, in both; one that nothing declares may be missing in the other, as upstream has it.
		if (other === undefined && (own === undefined || a.isUndeclared(key))) continue;
		if (own === undefined || other === undefined || !equal(own, other)) return false;
	}
	return true;
}

type NumberValue = bigint | number | Uint;

function isNumber(value: Value): value is NumberValue {
	return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;
}

/** NaN compares as undefined. */
function compareNumbers(a: NumberValue, b: NumberValue): number | undefined {
	const x = a instanceof Uint ? a.value : a;
	const y = b instanceof Uint ? b.value : b;
	return x < y ? -1 : x > y ? 1 : x == y ? 0 : undefined; // oxlint-disable-line eqeqeq -- bigint and number are equal only this way
}

/** Undefined: the two have no order. */
export function compare(a: Value, b: Value): number | undefined {
	if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
	if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
	if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
	if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
	if ((a instanceof Timestamp && b instanceof Timestamp) || (a instanceof Duration && b instanceof Duration))
		return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
	return undefined;
}

/** By code points, as Go compares bytes of UTF-8. */
function compareText(a: string, b: string): number {
	if (a === b) return 0;
	const length = Math.min(a.length, b.length);
	for (let i = 0; i < length; i++) {
		const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
		if (x === y) continue;
		const surrogates = (x & 0xf800) === 0xd800 || (y & 0xf800) === 0xd800;
		return surrogates ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : x - y;
	}
	return a.length - b.length;
}
