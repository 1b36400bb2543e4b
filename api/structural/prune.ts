/** Pruning: what the schema does not declare is dropped, in place. */
import { additionalOf, isObject, propertyOf, RESOURCE_KEYS, type Json, type Schema } from './schema.ts';

/** Drops unknown fields of a resource and gives their paths, sorted. */
export function prune(object: Json, schema: Schema): readonly string[] {
	const dropped: string[] = [];
	walk(object, { ...schema, 'x-kubernetes-embedded-resource': true }, '', dropped);
	return dropped.sort();
}

/** Drops unknown fields of any value, such as a default. */
export function pruneValue(value: unknown, schema: Schema): readonly string[] {
	const dropped: string[] = [];
	walk(value, schema, '', dropped);
	return dropped.sort();
}

/** @param keeps whether unknown fields stay: also in items of lists, though not in the fields of what is declared inside */
function walk(
	value: unknown,
	schema: Schema | undefined,
	path: string,
	dropped: string[],
	keeps = schema?.['x-kubernetes-preserve-unknown-fields'] === true,
): void {
	if (Array.isArray(value)) {
		const items = schema?.items;
		if (keeps && items === undefined) return;
		value.forEach((item, i) => walk(item, items, `${path}[${i}]`, dropped, keeps || undefined));
		return;
	}
	if (!isObject(value)) return;
	const isResource = schema?.['x-kubernetes-embedded-resource'] === true;
	for (const key of Object.keys(value)) {
		if (isResource && RESOURCE_KEYS.has(key)) continue;
		const at = path === '' ? key : `${path}.${key}`;
		const property = propertyOf(schema, key);
		if (property !== undefined) walk(value[key], property, at, dropped);
		else if (schema?.additionalProperties !== undefined) walk(value[key], additionalOf(schema), at, dropped);
		else if (!keeps) {
			dropped.push(at);
			delete value[key];
		}
	}
}
