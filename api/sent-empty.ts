/**
 * Lists and maps that were sent empty. Go's types keep them apart from absent ones until an object is stored, where they are no more; here they are
 * dropped when an object is read, and noted beside it for the few that look: rules that count them as said, and errors that show a value.
 */
import { setOwn } from './own-field.ts';

type Json = Record<string, unknown>;
type Empty = readonly never[] | Readonly<Record<string, never>>;

/** No key of JSON, so that whoever writes or compares an object does not see it; a spread copies it. */
const NOTES = Symbol('sent empty');
type Noted = Json & { [NOTES]?: Record<string, Empty> };

/** Notes that the field was there, if all that it held is nothing. */
export function noteEmpty(object: Json, field: string, given: unknown): void {
	if (typeof given !== 'object' || given === null || Object.keys(given).length > 0) return;
	((object as Noted)[NOTES] ??= {})[field] = Array.isArray(given) ? [] : {};
}

/** What an absent field was sent as: `[]`, `{}`, or undefined where it was not there. */
export function sentEmpty(object: object | undefined, field: string): Empty | undefined {
	return (object as Noted | undefined)?.[NOTES]?.[field];
}

/** The field's value, an empty one where it was sent so. */
export function asSent(object: object | undefined, field: string): unknown {
	return (object as Json | undefined)?.[field] ?? sentEmpty(object, field);
}

/** Whether anything in the value was sent empty. */
export function holdsSentEmpty(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return false;
	const fields = Object.keys((value as Noted)[NOTES] ?? {});
	return fields.some((field) => isAbsent((value as Json)[field])) || Object.values(value).some(holdsSentEmpty);
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** As if they had never been there. */
export function forgetEmpty(object: object, fields: readonly string[]): void {
	const notes = (object as Noted)[NOTES];
	if (notes === undefined) return;
	(object as Noted)[NOTES] = Object.fromEntries(Object.entries(notes).filter(([field]) => !fields.includes(field)));
}

/** A deep copy of plain JSON, notes and all. */
export function copyAsSent<T>(value: T): T {
	return copied(value) as T;
}

function copied(value: unknown): unknown {
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return value.map(copied);
	const copy: Noted = {};
	for (const key of Object.keys(value)) setOwn(copy, key, copied((value as Json)[key]));
	const notes = (value as Noted)[NOTES];
	if (notes !== undefined) copy[NOTES] = notes;
	return copy;
}
