/**
 * Which old value a new one stands for (apiserver cel/common CorrelatedObject): fields by name, items of keyed lists by their keys, nothing
 * else. What is equal to its old value was good enough before (ratcheting).
 */
import { sameJson } from '../same-json.ts';
import { additionalOf, isObject, propertyOf, type Schema } from './schema.ts';

/** The value before an update. */
export type Before = { readonly value: unknown } | undefined;

/** An old value with the schema of its place, or that there is none. */
export type Old = { readonly value: unknown; readonly schema: Schema } | undefined;

export function oldOf(before: Before, schema: Schema): Old {
	return before === undefined ? undefined : { value: before.value, schema };
}

/** Undefined also for fields that the schema does not know: nothing is said of them. */
export function oldField(old: Old, name: string): Old {
	if (old === undefined || !isObject(old.value) || !Object.hasOwn(old.value, name)) return undefined;
	const schema = propertyOf(old.schema, name) ?? additionalOf(old.schema);
	return schema === undefined ? undefined : { value: old.value[name], schema };
}

/** Lists of type map only; others compare as a whole. */
export function oldItem(old: Old, item: unknown): Old {
	if (old?.schema.items === undefined || !Array.isArray(old.value)) return undefined;
	const keys = keysOf(old.schema);
	const key = keys === undefined ? undefined : keyOf(item, keys);
	if (keys === undefined || key === undefined) return undefined;
	const value = itemsByKey(old.value, old.schema, keys).get(key);
	return value === undefined ? undefined : { value, schema: old.schema.items };
}

function keysOf(schema: Schema): readonly string[] | undefined {
	const keys = schema['x-kubernetes-list-map-keys'];
	return schema['x-kubernetes-list-type'] === 'map' && keys !== undefined && keys.length > 0 ? keys : undefined;
}

const known = new WeakMap<readonly unknown[], { readonly schema: Schema; readonly items: ReadonlyMap<string, unknown> }>();

/** The first item of each key. */
function itemsByKey(list: readonly unknown[], schema: Schema, keys: readonly string[]): ReadonlyMap<string, unknown> {
	const made = known.get(list);
	if (made?.schema === schema) return made.items;
	const items = new Map<string, unknown>();
	for (const item of list) {
		const key = keyOf(item, keys);
		if (key !== undefined && !items.has(key)) items.set(key, item);
	}
	known.set(list, { schema, items });
	return items;
}

/** Undefined where a key is absent or no scalar. */
function keyOf(item: unknown, keys: readonly string[]): string | undefined {
	if (!isObject(item)) return undefined;
	const values: string[] = [];
	for (const key of keys) {
		const value = Object.hasOwn(item, key) ? item[key] : undefined;
		if (value === undefined || value === null || typeof value === 'object') return undefined;
		values.push(typeof value === 'string' ? JSON.stringify(value) : String(value as number | bigint | boolean));
	}
	return values.join('\0');
}

/** Nothing changed here: items of keyed lists may have changed places, and fields without a schema never count as the same. */
export function isUnchanged(old: Old, value: unknown): boolean {
	if (old === undefined) return false;
	const { value: before } = old;
	if (Array.isArray(before) && Array.isArray(value)) {
		if (before.length !== value.length) return false;
		if (keysOf(old.schema) === undefined) return sameJson(before, value);
		return value.every((item) => isUnchanged(oldItem(old, item), item));
	}
	if (!isObject(before) || !isObject(value)) return sameJson(before, value);
	const names = Object.keys(value);
	return names.length === Object.keys(before).length && names.every((name) => isUnchanged(oldField(old, name), value[name]));
}
