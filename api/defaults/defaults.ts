/**
 * The defaults that the API server sets when it reads an object. Fields defaulted everywhere come from the contract (`defaulted`), those of single kinds
 * and those with conditions from the rules beside this file.
 */
import { schemaOfKind, type FieldSchema, type StructType, type TypeSchema } from '../schema.ts';
import type { KindName } from '../codec/codec.ts';
import { defaultKind } from './kinds.ts';
import { defaultStruct } from './structs.ts';

type Json = Record<string, unknown>;

/** Sets defaults in place. The object must be canonical: structs that are always present are there. */
export function applyDefaults(kind: KindName, object: Json): void {
	const type = schemaOfKind(kind.group, kind.version, kind.kind);
	if (type === undefined) return;
	defaultKind(kind, object);
	walk(type, object);
}

const hasDefaults = new Map<StructType, boolean>();

/** True when anything below the type is ever defaulted; the rest is not walked. */
function reaches(type: TypeSchema, seen: ReadonlySet<TypeSchema> = new Set()): boolean {
	if (type.form !== 'struct' || seen.has(type)) return false;
	const known = hasDefaults.get(type);
	if (known !== undefined) return known;
	const deeper = new Set([...seen, type]);
	const result = defaultStruct.has(type.name) || [...type.fields.values()].some((f) => f.defaulted !== undefined || reaches(f.type, deeper));
	if (seen.size === 0) hasDefaults.set(type, result);
	return result;
}

function walk(type: StructType, object: Json): void {
	if (!reaches(type)) return;
	defaultStruct.get(type.name)?.(object);
	for (const field of type.fields.values()) {
		if (field.defaulted !== undefined && isAbsent(field, object[field.name])) object[field.name] = structuredClone(field.defaulted);
		if (field.type.form !== 'struct') continue;
		const value = object[field.name];
		if (value === undefined || value === null) continue;
		const inner = field.type;
		if (field.shape === 'list') for (const item of value as Json[]) walk(inner, item);
		else if (field.shape === 'map') for (const item of Object.values(value as Record<string, Json>)) walk(inner, item);
		else walk(inner, value as Json);
	}
}

/** Missing, null, or the zero value where the field is not a pointer. */
function isAbsent(field: FieldSchema, value: unknown): boolean {
	if (value === undefined || value === null) return true;
	if (field.pointer) return false;
	if (field.shape !== 'single') return Object.keys(value as object).length === 0 && !Array.isArray(field.defaulted);
	return value === '' || value === 0 || value === false;
}
