/**
 * Values against a schema: upstream's checks (kube-openapi validate), in upstream's order and words. What an update leaves as it was is not
 * checked again. Errors carry the path as upstream has it: none for what several schemas say together.
 */
import { invalidValue, notSupported, required, tooLong, tooMany, typeInvalid, type FieldError } from '../field-error.ts';
import { isInt64 } from '../go-float.ts';
import { sameJson } from '../same-json.ts';
import { EvalError } from '../cel/errors.ts';
import { patternOf } from '../cel/libraries/pattern.ts';
import { lengthOf } from '../cel/values.ts';
import { isUnchanged, oldField, oldItem, oldOf, type Before, type Old } from './correlate.ts';
import { formatOf, isOfFormat } from './formats.ts';
import { checkNumber } from './numbers.ts';
import { additionalOf, inOrder, isObject, propertyOf, type Json, type Schema } from './schema.ts';

/** @param before the value before, for an update */
export function validateValue(value: unknown, schema: Schema, path: string, before?: Before): readonly FieldError[] {
	const errors = validate(value, schema, path, oldOf(before, schema)).errors.map((error) =>
		error.field.startsWith('.') ? { ...error, field: error.field.slice(1) } : error,
	);
	// What several schemas say alike is told once.
	return errors.length < 2 ? errors : [...new Map(errors.map((error) => [JSON.stringify(error), error])).values()];
}

/** Errors, and how many checks were made: the best of several alternatives is the one with most. */
export interface Found {
	readonly errors: FieldError[];
	count: number;
}

/** An error without a place of its own. */
const placeless = (message: string): FieldError => ({
	reason: 'FieldValueInvalid',
	message: `Invalid value: "": ${message}`,
	field: '<nil>',
});
const inBody = (path: string, value: unknown, what: string): FieldError =>
	invalidValue(path === '' ? '<nil>' : path, value, `${path} in body ${what}`);

function validate(value: unknown, schema: Schema, path: string, old: Old): Found {
	const found: Found = { errors: [], count: 0 };
	if (isUnchanged(old, value)) return found;
	found.count++;
	const wrongType = typeError(value, schema, path);
	if (wrongType !== undefined) found.errors.push(wrongType);
	if (value === null) {
		// No choice is null, not even one that says so.
		const { enum: choices = [] } = schema;
		if (choices.length > 0) found.errors.push(notSupported(path, null, choices.map(enumText)));
		return found;
	}
	combined(found, value, schema, path, old);
	if (typeof value === 'string') text(found, value, schema, path);
	if (typeof value === 'number' || typeof value === 'bigint') {
		found.errors.push(...checkNumber(value, schema, path));
		found.count++;
	}
	if (Array.isArray(value)) list(found, value, schema, path, old);
	if (schema.enum !== undefined && schema.enum.length > 0) {
		found.count++;
		if (!schema.enum.some((one) => isOneOf(one, value))) found.errors.push(notSupported(path, inOrder(value), schema.enum.map(enumText)));
	}
	if (isObject(value)) object(found, value, schema, path, old);
	return found;
}

/** Go makes the value what the choice is before it compares: a fraction is cut off where the choice is whole. */
function isOneOf(choice: unknown, value: unknown): boolean {
	if (typeof choice === 'number' && typeof value === 'number') return choice === (isInt64(choice) ? Math.trunc(value) : value);
	return sameJson(choice, value);
}

const enumText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(inOrder(value)));

function merge(into: Found, from: Found): void {
	into.errors.push(...from.errors);
	into.count += from.count;
}

function jsonType(value: unknown): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'array';
	if (typeof value === 'bigint' || typeof value === 'number') return isInt64(value) ? 'integer' : 'number';
	return typeof value;
}

function typeError(value: unknown, schema: Schema, path: string): FieldError | undefined {
	const types =
		schema['x-kubernetes-int-or-string'] === true
			? ['integer', 'string']
			: schema.type === undefined || schema.type === ''
				? []
				: [schema.type];
	const format = formatOf(schema);
	if (types.length === 0 && (format === '' || value === null)) return undefined;
	const type = jsonType(value);
	if (value === null) return schema.nullable === true ? undefined : typeMismatch(path, types, type);
	if (format !== '' && typeof value !== 'string' && !Array.isArray(value)) {
		const given = type === 'number' ? 'float64' : type === 'integer' ? 'int64' : '';
		const fits = types.includes(type) || given === format || (type === 'integer' && types.includes('number'));
		if (!fits) return typeMismatch(path, [format], given);
	}
	const isNumeric = types.includes('number') || types.includes('integer');
	// Texts are checked by their format; so a list passes too.
	if (!isNumeric && format !== '' && (typeof value === 'string' || Array.isArray(value))) return undefined;
	if (types.includes(type) || (type === 'integer' && types.includes('number'))) return undefined;
	return typeMismatch(path, types, type);
}

function typeMismatch(path: string, types: readonly string[], type: string): FieldError {
	return typeInvalid(path === '' ? '<nil>' : path, type, `${path} in body must be of type ${types.join(',')}: ${JSON.stringify(type)}`);
}

/** anyOf, oneOf, allOf, not. */
function combined(found: Found, value: unknown, schema: Schema, path: string, old: Old): void {
	const { anyOf = [], oneOf = [], allOf = [], not } = schema;
	found.count++;
	if (anyOf.length > 0)
		alternatives(
			found,
			anyOf.map((one) => validate(value, one, path, old)),
			path,
			false,
		);
	if (oneOf.length > 0)
		alternatives(
			found,
			oneOf.map((one) => validate(value, one, path, old)),
			path,
			true,
		);
	if (allOf.length > 0) {
		const results = allOf.map((one) => validate(value, one, path, old));
		const good = results.filter(({ errors }) => errors.length === 0).length;
		for (const result of results) merge(found, result);
		if (good < allOf.length)
			found.errors.push(placeless(`"${path}" must validate all the schemas (allOf)${good === 0 ? '. None validated' : ''}`));
	}
	if (not !== undefined && validate(value, not, path, old).errors.length === 0)
		found.errors.push(placeless(`"${path}" must not validate the schema (not)`));
}

function alternatives(found: Found, results: readonly Found[], path: string, exactlyOne: boolean): void {
	const good = results.filter(({ errors }) => errors.length === 0);
	if (exactlyOne ? good.length === 1 : good.length > 0) {
		merge(found, good[0] as Found);
		return;
	}
	const what = exactlyOne
		? `must validate one and only one schema (oneOf). ${good.length === 0 ? 'Found none valid' : `Found ${good.length} valid alternatives`}`
		: 'must validate at least one schema (anyOf)';
	found.errors.push(placeless(`"${path}" ${what}`));
	if (good.length === 0)
		merge(
			found,
			results.reduce((best, one) => (one.count > best.count ? one : best)),
		);
}

function text(found: Found, value: string, schema: Schema, path: string): void {
	const { maxLength, minLength, pattern = '' } = schema;
	const format = formatOf(schema);
	found.count++;
	const length = lengthOf(value);
	if (maxLength !== undefined && length > maxLength) found.errors.push(tooLong(path, maxLength));
	else if (minLength !== undefined && length < minLength)
		found.errors.push(inBody(path, value, `should be at least ${minLength} chars long`));
	else if (pattern !== '') checkPattern(found, value, pattern, path);
	if (format === '') return;
	found.count++;
	if (!isOfFormat(format, value))
		found.errors.push(typeInvalid(path, value, `${path} in body must be of type ${format}: ${JSON.stringify(value)}`));
}

/** A schema that is still to be validated may have one that is none. */
function checkPattern(found: Found, value: string, pattern: string, path: string): void {
	try {
		if (!patternOf(pattern).matcher(value).find()) found.errors.push(inBody(path, value, `should match '${pattern}'`));
	} catch (error) {
		if (!(error instanceof EvalError)) throw error;
		found.errors.push(inBody(path, value, `should match '${pattern}, but pattern is invalid: ${error.message}'`));
	}
}

function list(found: Found, value: readonly unknown[], schema: Schema, path: string, old: Old): void {
	const { items, minItems, maxItems } = schema;
	found.count++;
	if (items !== undefined) value.forEach((item, i) => merge(found, validate(item, items, `${path}[${i}]`, oldItem(old, item))));
	if (minItems !== undefined && value.length < minItems)
		found.errors.push(inBody(path, value.length, `should have at least ${minItems} items`));
	if (maxItems !== undefined && value.length > maxItems) found.errors.push(tooMany(path, value.length, maxItems));
}

function object(found: Found, value: Json, schema: Schema, path: string, old: Old): void {
	const { minProperties, maxProperties, required: wanted = [] } = schema;
	const size = Object.keys(value).length;
	const at = (key: string): string => (path === '' ? key : `${path}.${key}`);
	if (minProperties !== undefined && size < minProperties) {
		found.errors.push(inBody(path, size, `should have at least ${minProperties} properties`));
	}
	if (maxProperties !== undefined && size > maxProperties) {
		found.errors.push(tooMany(path, size, maxProperties));
	}
	found.count++;
	const additional = additionalOf(schema);
	if (schema.additionalProperties === false)
		for (const key of Object.keys(value))
			if (propertyOf(schema, key) === undefined)
				found.errors.push(invalidValue(path === '' ? '<nil>' : path, key, `${path}.${key} in body is a forbidden property`));
	for (const key of Object.keys(value)) {
		const property = propertyOf(schema, key);
		const inner = property ?? additional;
		// Type and version of a resource were converted, and are looked at again.
		const before = path === '' && (key === 'apiVersion' || key === 'kind') ? undefined : oldField(old, key);
		if (inner !== undefined) merge(found, validate(value[key], inner, property === undefined ? `${path}.${key}` : at(key), before));
	}
	for (const key of wanted) if (!Object.hasOwn(value, key)) found.errors.push(required(at(key)));
}
