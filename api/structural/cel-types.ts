/** Schemas as types of CEL, with the sizes that a schema promises: what upstream's estimator reckons with. */
import { byField, escapedField } from '../cel/json.ts';
import { BOOL, BYTES, DATE, DOUBLE, DURATION, INT, INT_OR_STRING, listOf, mapOf, STRING, TIMESTAMP, type Type } from '../cel/types.ts';
import type { Range, SizeAt } from '../cel/ranges.ts';
import { additionalOf, propertyOf, type Schema } from './schema.ts';

/** Upstream's largest request, and the smallest and largest JSON of some types (apiserver/pkg/cel/limits.go). */
const MAX_REQUEST = 3 * 1024 * 1024;
const MIN_STRING = 2;
const MIN_BOOL = 4;
const MIN_NUMBER = 1;
const MIN_DURATION = 4;
const MAX_DURATION = 32;
const JSON_DATE = 12;
const MIN_TIME = 21;
const MAX_TIME = 30;

/** A schema as a type. */
export interface Declared {
	readonly type: Type;
	/** Most characters, items or entries; 0 for what has no size. */
	readonly maxElements: number;
	/** Least bytes of its JSON. */
	readonly minSize: number;
	readonly fields?: ReadonlyMap<string, Declared>;
	readonly items?: Declared;
	readonly keys?: Declared;
}

const plain = (type: Type, minSize: number, maxElements = 0): Declared => ({ type, maxElements, minSize });
const known = new WeakMap<Schema, readonly [Declared | undefined, Declared | undefined]>();

/** Undefined: expressions cannot reach it. @param isResource the root, or an embedded resource */
export function declaredOf(schema: Schema, isResource: boolean): Declared | undefined {
	const made = known.get(schema);
	if (made !== undefined && (isResource ? made[1] : made[0]) !== undefined) return isResource ? made[1] : made[0];
	const declared = declare(schema, isResource);
	known.set(schema, isResource ? [made?.[0], declared] : [declared, made?.[1]]);
	return declared;
}

function declare(schema: Schema, isResource: boolean): Declared | undefined {
	if (schema['x-kubernetes-int-or-string'] === true)
		return plain(INT_OR_STRING, 1, schema.maxLength === undefined ? MAX_REQUEST - 2 : mostBytes(schema.maxLength));
	switch (schema.type ?? '') {
		case 'array':
			return declareList(schema);
		case 'object':
			return declareObject(isResource ? withResourceFields(schema) : schema);
		case 'string':
			return declareString(schema);
		case 'boolean':
			return plain(BOOL, MIN_BOOL);
		case 'number':
			return plain(DOUBLE, MIN_NUMBER);
		case 'integer':
			return plain(INT, MIN_NUMBER);
	}
	return undefined;
}

const TEXT: Schema = { type: 'string' };

function withResourceFields(schema: Schema): Schema {
	const metadata: Schema = { type: 'object', properties: { name: TEXT, generateName: TEXT } };
	return { ...schema, properties: { ...schema.properties, apiVersion: TEXT, kind: TEXT, metadata } };
}

/** Lengths count characters, of up to four bytes each. */
const mostBytes = (characters: number): number => Math.max(characters, 0) * 4;

function declareString({ format, maxLength, enum: values }: Schema): Declared {
	switch (format ?? '') {
		case 'byte':
			return plain(BYTES, MIN_STRING, maxLength === undefined ? MAX_REQUEST - 2 : Math.max(maxLength, 0));
		case 'duration':
			return plain(DURATION, MIN_DURATION, MAX_DURATION);
		case 'date':
			return plain(DATE, JSON_DATE, JSON_DATE);
		case 'date-time':
			return plain(TIMESTAMP, MIN_TIME, MAX_TIME);
	}
	if (maxLength !== undefined) return plain(STRING, MIN_STRING, mostBytes(maxLength));
	const longest =
		values === undefined || values.length === 0 ? MAX_REQUEST - 2 : Math.max(...values.map((v) => String(v as string).length));
	return plain(STRING, MIN_STRING, longest);
}

function declareList({
	items,
	maxItems,
	'x-kubernetes-list-type': kind,
	'x-kubernetes-list-map-keys': keys,
}: Schema): Declared | undefined {
	const of = items === undefined ? undefined : declaredOf(items, items['x-kubernetes-embedded-resource'] === true);
	if (of === undefined) return undefined;
	const members = kind === 'set' ? kind : kind === 'map' ? (keys ?? []).map((key) => escapedField(key) ?? key) : undefined;
	const type: Type = { ...listOf(of.type), ...(members === undefined ? {} : { members }) };
	return { type, maxElements: maxItems ?? Math.floor((MAX_REQUEST - 2) / (of.minSize + 1)), minSize: 2, items: of };
}

function declareObject(schema: Schema): Declared | undefined {
	const additional = additionalOf(schema);
	if (additional !== undefined) {
		const of = declaredOf(additional, additional['x-kubernetes-embedded-resource'] === true);
		if (of === undefined) return undefined;
		const most = schema.maxProperties ?? Math.floor((MAX_REQUEST - 2) / (of.minSize + 6));
		return { type: mapOf(STRING, of.type), maxElements: most, minSize: 2, items: of, keys: plain(STRING, MIN_STRING) };
	}
	const fields = new Map<string, Declared>();
	let minSize = 2;
	for (const [name, property] of Object.entries(schema.properties ?? {})) {
		const declared = declaredOf(property, property['x-kubernetes-embedded-resource'] === true);
		if (declared === undefined) continue;
		const field = escapedField(name);
		if (field !== undefined) fields.set(field, declared);
		if (schema.required?.includes(name) === true && property.default === undefined) minSize += name.length + declared.minSize + 4;
	}
	const type: Type = {
		kind: 'object',
		name: 'object',
		field: (name) => byField(fields, name)?.type,
		declares: (name) => propertyOf(schema, name) !== undefined,
	};
	return { type, maxElements: 0, minSize, fields };
}

/** Sizes below `self` and `oldSelf`. */
export function sizesIn(root: Declared): SizeAt {
	return (path) => {
		let at: Declared | undefined = root;
		for (const step of path.slice(1)) {
			if (at === undefined) return undefined;
			at = step === '@items' || step === '@values' ? at.items : step === '@keys' ? at.keys : at.fields?.get(step);
		}
		return at === undefined ? undefined : ({ min: 0, max: at.maxElements } satisfies Range);
	};
}

/** How often values of that least size fit into one request. */
export function mostOften({ minSize }: Declared): number {
	return Math.floor(MAX_REQUEST / (minSize + 1));
}
