/** Resources inside of values: types and kinds are texts, metadata is what every kind has (apiextensions schema/objectmeta, Coerce). */
import { AppError } from '../../base/errors.ts';
import { canonicalObject } from '../codec/canonical.ts';
import { jsonKind } from '../codec/mismatch.ts';
import { invalidValue, type FieldError } from '../field-error.ts';
import type { ObjectMeta } from '../gen/types.ts';
import { setOwn } from '../own-field.ts';
import { typeNamed, type StructType } from '../schema.ts';
import { additionalOf, isObject, propertyOf, type Json, type Schema } from './schema.ts';

/** The schema as that of a resource. */
export const asResource = (schema: Schema): Schema => ({ ...schema, 'x-kubernetes-embedded-resource': true });

/** The value with metadata in its canonical form, without unknown fields; what does not fit stays, and is told of. */
export function coerced(out: FieldError[], value: unknown, schema: Schema | undefined, path: string): unknown {
	if (schema === undefined) return value;
	if (Array.isArray(value)) return value.map((item, i) => coerced(out, item, schema.items, `${path}[${i}]`));
	if (!isObject(value)) return value;
	const isResource = schema['x-kubernetes-embedded-resource'] === true;
	const made: Json = {};
	for (const [key, inner] of Object.entries(value)) {
		const at = path === '' ? key : `${path}.${key}`;
		const property = propertyOf(schema, key);
		if (isResource && key === 'metadata') made[key] = metadataOf(out, inner, at);
		else if (isResource && (key === 'apiVersion' || key === 'kind')) {
			if (typeof inner !== 'string') out.push(invalidValue(at, inner, 'must be a string'));
			made[key] = inner;
		} else if (property !== undefined) setOwn(made, key, coerced(out, inner, property, at));
		else setOwn(made, key, coerced(out, inner, additionalOf(schema), `${path}[${key}]`));
	}
	return made;
}

function metadataOf(out: FieldError[], given: unknown, at: string): unknown {
	try {
		// A clone has no notes of what was sent empty.
		return structuredClone(canonicalMetadata(given, () => {}));
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		out.push(invalidValue(at, given, error.message));
		return given;
	}
}

/** Metadata in its canonical form; null is none. Throws what does not fit. @param unknown hears of fields that nobody knows */
export function canonicalMetadata(given: unknown, unknown: (field: string) => void): ObjectMeta {
	if (given !== null && !isObject(given))
		throw new AppError('InvalidArgument', `json: cannot unmarshal ${jsonKind(given)} into Go value of type v1.ObjectMeta`);
	const type = typeNamed('meta/v1.ObjectMeta') as StructType;
	const made = canonicalObject(type, given ?? {}, { unknown }) as ObjectMeta;
	// Go's zero time is written as null, and is none.
	if ((made.creationTimestamp ?? null) === null) delete made.creationTimestamp;
	return made;
}
