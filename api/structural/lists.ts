/** Lists of type set and map: no item twice. */
import { sameJson } from '../same-json.ts';
import { duplicate, type FieldError } from '../field-error.ts';
import { isUnchanged, oldField, oldItem, type Old } from './correlate.ts';
import { additionalOf, isObject, propertyOf, type Schema } from './schema.ts';

export function checkLists(value: unknown, schema: Schema, path: string, old?: Old): FieldError[] {
	const out: FieldError[] = [];
	walk(out, value, schema, path, old);
	return out;
}

function walk(out: FieldError[], value: unknown, schema: Schema | undefined, path: string, old: Old): void {
	if (schema === undefined || isUnchanged(old, value)) return;
	if (Array.isArray(value)) {
		const items: readonly unknown[] = value;
		const type = schema['x-kubernetes-list-type'];
		if (type === 'set') out.push(...repeated(items, path));
		if (type === 'map')
			out.push(
				...repeated(
					items.map((item) => keysOf(item, schema)),
					path,
				),
			);
		items.forEach((item, i) => walk(out, item, schema.items, `${path}[${i}]`, oldItem(old, schema, item)));
	} else if (isObject(value))
		for (const [key, inner] of Object.entries(value))
			walk(out, inner, propertyOf(schema, key) ?? additionalOf(schema), path === '' ? key : `${path}.${key}`, oldField(old, key));
}

function keysOf(item: unknown, schema: Schema): unknown {
	const keys = (schema['x-kubernetes-list-map-keys'] ?? []).toSorted();
	if (!isObject(item)) return item;
	return Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(item, key) ? [[key, item[key]]] : [])));
}

function repeated(values: readonly unknown[], path: string): FieldError[] {
	const seen = new Map<string, unknown[]>();
	const out: FieldError[] = [];
	values.forEach((value, i) => {
		const rough = typeof value === 'object' ? 'object' : String(value as string);
		const others = seen.get(rough) ?? [];
		if (others.some((other) => sameJson(other, value))) out.push(duplicate(`${path}[${i}]`, value));
		else seen.set(rough, [...others, value]);
	});
	return out;
}
