/** JSON merge patch (RFC 7396) as the API server applies it. Objects that the patch touches come out with sorted keys, as Go writes maps. */
import { FloatLiteral } from '../codec/float-literal.ts';
import { ownField, setOwn } from '../own-field.ts';

type Json = Record<string, unknown>;

/** The current value with the patch on it; neither is changed. */
export function mergePatch(current: unknown, patch: unknown): unknown {
	if (!isObject(current)) return withoutNulls(patch);
	if (!isObject(patch)) return patch;
	const out: Json = { ...current };
	for (const [key, value] of Object.entries(patch)) {
		if (value === null) {
			delete out[key];
			continue;
		}
		const before = ownField(out, key) ?? undefined;
		setOwn(out, key, before === undefined ? withoutNulls(value) : mergePatch(before, value));
	}
	return sorted(out);
}

const isObject = (value: unknown): value is Json =>
	typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof FloatLiteral);

/** What is new keeps no nulls as values; elements of lists stay. */
function withoutNulls(value: unknown): unknown {
	if (Array.isArray(value)) return value.map((item) => (item === null ? null : withoutNulls(item)));
	if (!isObject(value)) return value;
	return sorted(Object.fromEntries(Object.entries(value).flatMap(([key, item]) => (item === null ? [] : [[key, withoutNulls(item)]]))));
}

function sorted(object: Json): Json {
	return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
