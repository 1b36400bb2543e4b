/** Absent fields of decoded objects are null where JSON shows them so; rules read them as absent. */

import { setOwn } from './own-field.ts';

/** The value without null fields; what has none is the same object, not a copy. Null elements of lists stay. */
/** Schemas say null where they mean null. */
const KEPT = new Set(['openAPIV3Schema', 'managedFields']);

export function nullFree<T>(value: T): T {
	return free(value) as T;
}

function free(value: unknown): unknown {
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) {
		let copy: unknown[] | undefined;
		for (const [i, element] of value.entries()) {
			const clean = free(element);
			if (clean !== element) (copy ??= [...(value as unknown[])])[i] = clean;
		}
		return copy ?? value;
	}
	let copy: Record<string, unknown> | undefined;
	for (const key of Object.keys(value)) {
		const field = (value as Readonly<Record<string, unknown>>)[key];
		const clean = KEPT.has(key) && field !== null ? field : free(field);
		if (clean === field && field !== null) continue;
		copy ??= { ...(value as Record<string, unknown>) };
		if (field === null) delete copy[key];
		else setOwn(copy, key, clean);
	}
	return copy ?? value;
}
