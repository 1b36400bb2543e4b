/** Equality of JSON values as the API means it: prototypes and the order of members say nothing. */
import { FloatLiteral } from './codec/float-literal.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Whether both would be the same JSON, up to the order of members: one that is undefined is not there. */
export function sameJson(a: unknown, b: unknown): boolean {
	return same(a, b, false);
}

/** As controllers compare what they want with what is there: null is not there either. */
export function sameButNulls(a: unknown, b: unknown): boolean {
	return same(a, b, true);
}

function same(a: unknown, b: unknown, nullIsAbsent: boolean): boolean {
	if (a === b) return true;
	if (nullIsAbsent && (a ?? undefined) === undefined && (b ?? undefined) === undefined) return true;
	if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
	// Go compares what was patched as it is written.
	if (a instanceof FloatLiteral || b instanceof FloatLiteral)
		return a instanceof FloatLiteral && b instanceof FloatLiteral && a.text === b.text;
	if (Array.isArray(a) || Array.isArray(b))
		return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => same(item, b[i], nullIsAbsent));
	const [left, right] = [a as Fields, b as Fields];
	// Own members only: "constructor" is a key like any other.
	const at = (fields: Fields, key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined);
	for (const key of Object.keys(left)) if (!same(left[key], at(right, key), nullIsAbsent)) return false;
	for (const key of Object.keys(right))
		if (right[key] !== undefined && !Object.hasOwn(left, key) && !(nullIsAbsent && right[key] === null)) return false;
	return true;
}
