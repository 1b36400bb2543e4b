/** Absent fields of decoded objects are null where JSON shows them so; rules read them as absent. */

import { setOwn } from './own-field.ts';

/** Schemas say null where they mean null. */
const KEPT = new Set(['openAPIV3Schema', 'managedFields']);
const NONE: ReadonlySet<string> = new Set();

/** The value without null fields; what has none is the same object, not a copy. Null elements of lists stay. @param raw fields of raw JSON, which says null where it means null */
export function nullFree<T>(value: T, raw: ReadonlySet<string> = NONE): T {
	return free(value, raw) as T;
}

function free(value: unknown, raw: ReadonlySet<string>): unknown {
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) {
		let copy: unknown[] | undefined;
		for (const [i, element] of value.entries()) {
			const clean = free(element, raw);
			if (clean !== element) (copy ??= [...(value as unknown[])])[i] = clean;
		}
		return copy ?? value;
	}
	let copy: Record<string, unknown> | undefined;
	for (const key of Object.keys(value)) {
		const field = (value as Readonly<Record<string, unknown>>)[key];
		const clean = (KEPT.has(key) || raw.has(key)) && field !== null ? field : free(field, raw);
		if (clean === field && field !== null) continue;
		copy ??= { ...(value as Record<string, unknown>) };
		if (field === null) delete copy[key];
		else setOwn(copy, key, clean);
	}
	return copy ?? value;
}
