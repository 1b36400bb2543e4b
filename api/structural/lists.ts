/** Lists of type set and map: no item twice (apiextensions schema/listtype). */
import { duplicate, invalidValue, type FieldError } from '../field-error.ts';
import { additionalOf, inOrder, isObject, propertyOf, type Schema } from './schema.ts';

export function checkLists(value: unknown, schema: Schema, path: string): FieldError[] {
	const out: FieldError[] = [];
	walk(out, value, schema, path);
	return out;
}

function walk(out: FieldError[], value: unknown, schema: Schema | undefined, path: string): void {
	if (schema === undefined) return;
	if (Array.isArray(value)) {
		const items: readonly unknown[] = value;
		const type = schema['x-kubernetes-list-type'];
		if (type === 'set') out.push(...repeated(items, path));
		if (type === 'map') out.push(...keyed(items, schema, path));
		items.forEach((item, i) => walk(out, item, schema.items, `${path}[${i}]`));
	} else if (isObject(value))
		for (const [key, inner] of Object.entries(value)) {
			const property = propertyOf(schema, key);
			if (property !== undefined) walk(out, inner, property, path === '' ? key : `${path}.${key}`);
			else walk(out, inner, additionalOf(schema), `${path}[${key}]`);
		}
}

function keyed(items: readonly unknown[], schema: Schema, path: string): FieldError[] {
	const other = items.findIndex((item) => item !== null && !isObject(item));
	if (other !== -1) return [invalidValue(`${path}[${other}]`, items[other], 'must be an object for an array of list-type map')];
	const keys = schema['x-kubernetes-list-map-keys'] ?? [];
	return repeated(
		items.map((item) => Object.fromEntries(keys.flatMap((key) => (isObject(item) && Object.hasOwn(item, key) ? [[key, item[key]]] : [])))),
		path,
	);
}

/** Each value is told once, where it stands for the second time. */
function repeated(values: readonly unknown[], path: string): FieldError[] {
	const seen = new Map<string, number>();
	return values.flatMap((value, i) => {
		const key = textOf(value);
		const times = (seen.get(key) ?? 0) + 1;
		seen.set(key, times);
		return times === 2 ? [duplicate(`${path}[${i}]`, inOrder(value))] : [];
	});
}

/** The same for the same JSON, whatever the order of members. */
function textOf(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
	if (isObject(value))
		return `{${Object.keys(value)
			.toSorted()
			.map((key) => `${JSON.stringify(key)}:${textOf(value[key])}`)
			.join()}}`;
	return typeof value === 'string' ? JSON.stringify(value) : String(value as number | bigint | boolean | null);
}
