/** Protobuf does not know empty lists and maps: what upstream reads from its store has none of them, and JSON says null where a field is always written. */
import type { KindName } from '../kind-name.ts';
import { schemaOfKind, type FieldSchema, type StructType } from '../schema.ts';

type Json = Record<string, unknown>;

/** As read from the store. What has no empty list is the same object, not a copy. */
export function withoutEmptyLists<T extends object>({ group, version, kind }: KindName, object: T): T {
	const type = schemaOfKind(group, version, kind);
	return type === undefined ? object : (cleaned(type, object as Json) as T);
}

function cleaned(type: StructType, object: Json): Json {
	let copy: Json | undefined;
	for (const name in object) {
		const value = object[name];
		if (typeof value !== 'object' || value === null) continue;
		const field = type.fields.get(name);
		if (field === undefined) continue;
		const clean = fieldValue(field, value);
		if (clean !== value) (copy ??= { ...object })[name] = clean;
	}
	return copy ?? object;
}

function fieldValue({ shape, type }: FieldSchema, value: object): unknown {
	if (shape === 'single') return type.form === 'struct' ? cleaned(type, value as Json) : value;
	if (isEmpty(value)) return null;
	if (type.form !== 'struct') return value;
	const given = value as Json;
	let copy: Json | undefined;
	for (const key in given) {
		const item = given[key];
		const clean = item === null ? item : cleaned(type, item as Json);
		if (clean !== item) (copy ??= shape === 'list' ? ([...(value as unknown[])] as unknown as Json) : { ...given })[key] = clean;
	}
	return copy ?? value;
}

function isEmpty(value: object): boolean {
	for (const _ in value) return false;
	return true;
}
