/**
 * A decoded JSON value as Go would write it after reading it into the type: types checked, unknown fields found, empty values dropped or
 * written by the contract's omitempty rules, quantities and times in canonical form, keys in Go's order.
 */
import type { FieldSchema, StructType, TypeSchema } from '../schema.ts';
import { canonicalQuantity } from '../quantity.ts';
import { canonicalDuration, canonicalMicroTime, canonicalTime } from '../time.ts';
import { DecodeError, typeMismatch } from './mismatch.ts';

type Json = Record<string, unknown>;

/** Where in the document a value stands. */
export interface Place {
	/** With indexes, for unknown fields: "spec.containers[0].bar". */
	readonly path: string;
	/** Without indexes, as Go's type errors say it: "spec.containers.bar". */
	readonly fields: string;
	/** Short Go name of the struct around it. */
	readonly struct: string;
}

export interface Finds {
	/** Told of every field that the type does not have, by path. */
	readonly unknown: (path: string) => void;
}

const ROOT: Place = { path: '', fields: '', struct: '' };

/** The whole object; TypeMeta fields included. DecodeError says what does not fit. */
export function canonicalObject(type: StructType, value: Json, finds: Finds): Json {
	return struct(type, value, ROOT, finds);
}

function struct(type: StructType, value: Json, place: Place, finds: Finds): Json {
	const out: Json = {};
	const inner = { ...place, struct: type.name.slice(type.name.lastIndexOf('.') + 1) };
	for (const [name, field] of type.fields) {
		const given = value[name];
		const at: Place = given === undefined || given === null ? inner : { path: join(inner.path, name), fields: join(inner.fields, name), struct: inner.struct };
		const result = fieldValue(field, given, at, finds);
		if (result !== undefined) out[name] = result;
	}
	for (const name of Object.keys(value)) if (!type.fields.has(name)) finds.unknown(join(place.path, name));
	return out;
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Undefined: the field is not written. */
function fieldValue(field: FieldSchema, given: unknown, place: Place, finds: Finds): unknown {
	const { type, shape } = field;
	if (shape === 'list') {
		if (given === undefined || given === null) return field.omitempty ? undefined : null;
		if (!Array.isArray(given)) throw typeMismatch(given, place, `[]${goType(type)}`);
		if (given.length === 0 && field.omitempty) return undefined;
		return given.map((item, i) => element(type, item, { ...place, path: `${place.path}[${i}]` }, finds));
	}
	if (shape === 'map') {
		if (given === undefined || given === null) return field.omitempty ? undefined : null;
		if (typeof given !== 'object' || Array.isArray(given)) throw typeMismatch(given, place, `map[string]${goType(type)}`);
		const entries = Object.entries(given);
		if (entries.length === 0 && field.omitempty) return undefined;
		return Object.fromEntries(entries.map(([key, item]) => [key, element(type, item, { ...place, path: join(place.path, key) }, finds)]));
	}
	if (given === undefined || given === null) return absent(field);
	const value = element(type, given, place, finds);
	if (field.pointer) return value;
	if (field.omitempty && type.form === 'scalar' && isZero(value)) return undefined;
	if (field.omitempty && type.form === 'encoded' && type.encoding === 'items' && (value as unknown[]).length === 0) return undefined;
	if (field.omitzero && isZeroStruct(value)) return undefined;
	return value;
}

function absent(field: FieldSchema): unknown {
	const { type } = field;
	if (field.pointer) return field.omitempty ? undefined : null;
	if (field.omitzero) return undefined;
	if (type.form === 'scalar') return field.omitempty ? undefined : zero(type.scalar);
	if (type.form === 'encoded') {
		if (type.encoding === 'quantity') return '0';
		if (type.encoding === 'intOrString') return 0;
		if (type.encoding === 'duration') return '0s';
		if (type.encoding === 'items') return field.omitempty ? undefined : null;
		return null;
	}
	return struct(type, {}, ROOT, { unknown: () => {} });
}

function zero(scalar: string): unknown {
	return scalar === 'string' ? '' : scalar === 'bool' ? false : scalar === 'bytes' || scalar === 'any' ? null : 0;
}

function isZero(value: unknown): boolean {
	return value === '' || value === 0 || value === false || value === null;
}

function isZeroStruct(value: unknown): boolean {
	return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** One value of the type, present and not in a list or map of its own. */
function element(type: TypeSchema, given: unknown, place: Place, finds: Finds): unknown {
	switch (type.form) {
		case 'scalar':
			return scalar(type.scalar, given, place);
		case 'encoded':
			return encoded(type, given, place, finds);
		case 'struct':
			if (given === null || given === undefined) return struct(type, {}, place, finds);
			if (typeof given !== 'object' || Array.isArray(given)) throw typeMismatch(given, place, goType(type));
			return struct(type, given as Json, place, finds);
	}
}

const INT32_MAX = 2 ** 31 - 1;

function scalar(kind: string, given: unknown, place: Place): unknown {
	if (given === null || given === undefined) return zero(kind);
	switch (kind) {
		case 'string':
			if (typeof given !== 'string') throw typeMismatch(given, place, 'string');
			return given;
		case 'bool':
			if (typeof given !== 'boolean') throw typeMismatch(given, place, 'bool');
			return given;
		case 'int32':
			if (typeof given !== 'number' || !Number.isInteger(given) || given > INT32_MAX || given < -INT32_MAX - 1) throw typeMismatch(given, place, 'int32');
			return given;
		case 'int64':
			if (typeof given === 'bigint') return given;
			if (typeof given !== 'number' || !Number.isInteger(given)) throw typeMismatch(given, place, 'int64');
			return given;
		case 'float64':
			if (typeof given !== 'number') throw typeMismatch(given, place, 'float64');
			return given;
		case 'bytes':
			if (typeof given !== 'string') throw typeMismatch(given, place, '[]uint8');
			return base64(given);
		default:
			return given;
	}
}

function base64(text: string): string {
	const plain = text.replaceAll(/[\r\n]/g, '');
	const bad = /[^A-Za-z0-9+/=]/.exec(plain);
	if (bad !== null) throw new DecodeError(`illegal base64 data at input byte ${bad.index}`);
	if (plain.length % 4 !== 0) throw new DecodeError(`illegal base64 data at input byte ${Math.floor(plain.length / 4) * 4}`);
	return plain;
}

function encoded(type: Extract<TypeSchema, { form: 'encoded' }>, given: unknown, place: Place, finds: Finds): unknown {
	switch (type.encoding) {
		case 'time':
		case 'microTime':
			if (given === null || given === '') return null;
			if (typeof given !== 'string') throw typeMismatch(given, place, 'string');
			return type.encoding === 'time' ? canonicalTime(given) : canonicalMicroTime(given);
		case 'duration':
			if (typeof given !== 'string') throw typeMismatch(given, place, 'string');
			return canonicalDuration(given);
		case 'quantity':
			if (given === null) return '0';
			if (typeof given !== 'string' && typeof given !== 'number') throw new DecodeError('quantities must match the regular expression \'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$\'');
			return canonicalQuantity(given);
		case 'intOrString':
			if (typeof given !== 'string' && typeof given !== 'number') throw typeMismatch(given, place, 'int32');
			return given;
		case 'items': {
			if (given === null) return null;
			if (!Array.isArray(given)) throw typeMismatch(given, place, '[]string');
			return given.map((item) => scalar('string', item, place));
		}
		case 'schemaOrBool':
		case 'schemaOrArray':
		case 'schemaOrStringArray':
			return nestedSchema(type, given, place, finds);
		case 'groupVersion':
		case 'rawExtension':
		case 'fieldsV1':
		case 'json':
		case 'unknown':
			return given;
	}
}

/** JSON schema's alternatives: a bool, a list, or a schema. */
function nestedSchema(type: Extract<TypeSchema, { form: 'encoded' }>, given: unknown, place: Place, finds: Finds): unknown {
	const inner = [...type.wireFields.values()].map((f) => f.type).find((t) => t.form === 'struct');
	if (inner === undefined || given === null || typeof given !== 'object') return given;
	if (Array.isArray(given)) return given.map((item, i) => (typeof item === 'object' ? element(inner, item, { ...place, path: `${place.path}[${i}]` }, finds) : (item as unknown)));
	return element(inner, given, place, finds);
}

/** The Go name of a type as decoding errors print it. */
function goType(type: TypeSchema): string {
	if (type.form === 'scalar') return type.scalar === 'bytes' ? '[]uint8' : type.scalar === type.name ? type.scalar : shortGo(type.name);
	return shortGo(type.name);
}

/** "core/v1.PodSpec" is "v1.PodSpec" to Go. */
function shortGo(name: string): string {
	return name.slice(name.lastIndexOf('/') + 1);
}
