/** Which old value a new one stands for: fields by name, items of keyed lists by their keys, nothing else. */
import { sameJson } from '../same-json.ts';
import { isObject, type Schema } from './schema.ts';

/** An old value, or that there is none. */
export type Old = { readonly value: unknown } | undefined;

export function oldField(old: Old, name: string): Old {
	if (old === undefined || !isObject(old.value) || !Object.hasOwn(old.value, name)) return undefined;
	return { value: old.value[name] };
}

/** Lists of type map only; others compare as a whole. */
export function oldItem(old: Old, schema: Schema, item: unknown): Old {
	const keys = schema['x-kubernetes-list-map-keys'];
	if (old === undefined || !Array.isArray(old.value) || schema['x-kubernetes-list-type'] !== 'map' || keys === undefined) return undefined;
	const key = keyOf(item, keys, schema.items);
	const found = old.value.filter((other) => keyOf(other, keys, schema.items) === key);
	return found.length === 1 ? { value: found[0] } : undefined;
}

/** The keys of an item as text; defaults stand in for absent ones. */
function keyOf(item: unknown, keys: readonly string[], items: Schema | undefined): string {
	return JSON.stringify(keys.map((key) => (isObject(item) ? (item[key] ?? items?.properties?.[key]?.default ?? null) : null)));
}

/** Nothing changed here, so nothing is checked again (ratcheting). */
export function isUnchanged(old: Old, value: unknown): boolean {
	return old !== undefined && sameJson(old.value, value);
}
