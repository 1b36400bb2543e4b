/** What makes a schema structural: a type everywhere, nothing but value rules inside anyOf, oneOf, allOf and not (apiextensions schema/validation.go). */
import { patternOf } from '../cel/libraries/pattern.ts';
import { fieldForbidden, invalidValue, required, type FieldError } from '../field-error.ts';
import { additionalOf, type Schema } from './schema.ts';

type Level = 'root' | 'item' | 'field';
type Errors = FieldError[];

/** Sorted by text, as upstream has them. */
export function structuralErrors(schema: Schema, path: string): readonly FieldError[] {
	const out: Errors = [];
	invariants(out, schema, 'root', path);
	completeness(out, schema, schema, path, path);
	const text = (error: FieldError): string => `${error.field}: ${error.message}`;
	return out.sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0));
}

const WITHOUT_TYPE: Readonly<Record<Level, string>> = {
	root: 'must not be empty at the root',
	item: 'must not be empty for specified array items',
	field: 'must not be empty for specified object fields',
};

function invariants(out: Errors, schema: Schema, level: Level, path: string): void {
	const { type = '', items, properties = {}, additionalProperties } = schema;
	if (items !== undefined) invariants(out, items, 'item', `${path}.items`);
	for (const [name, property] of Object.entries(properties)) invariants(out, property, 'field', `${path}.properties[${name}]`);
	const additional = additionalOf(schema);
	if (additional !== undefined) invariants(out, additional, 'field', `${path}.additionalProperties`);
	const embedded = schema['x-kubernetes-embedded-resource'] === true;
	const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true;
	const intOrString = schema['x-kubernetes-int-or-string'] === true;
	if (level === 'root' && additionalProperties !== undefined)
		out.push(fieldForbidden(`${path}.additionalProperties`, 'must not be used at the root'));
	for (const [name, isSet] of [
		['x-kubernetes-preserve-unknown-fields', preserves],
		['x-kubernetes-embedded-resource', embedded],
	] as const)
		if (intOrString && isSet) out.push(invalidValue(`${path}.${name}`, true, 'must be false if x-kubernetes-int-or-string is true'));
	nestedRules(out, schema, path);
	const MUST_BE_OBJECT = 'must be object if x-kubernetes-embedded-resource is true';
	if (embedded && type !== 'object')
		out.push(type === '' ? required(`${path}.type`, MUST_BE_OBJECT) : invalidValue(`${path}.type`, type, MUST_BE_OBJECT));
	else if (type === '' && !intOrString && !preserves) out.push(required(`${path}.type`, WITHOUT_TYPE[level]));
	if (embedded && additionalProperties !== undefined)
		out.push(fieldForbidden(`${path}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set'));
	if (level === 'root' && type !== '' && type !== 'object') out.push(invalidValue(`${path}.type`, type, 'must be object at the root'));
	if (type === 'array' && items === undefined) out.push(required(`${path}.items`, 'must be specified'));
	if (embedded && !preserves && Object.keys(properties).length === 0)
		out.push(
			required(
				`${path}.properties`,
				'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
			),
		);
	if (level === 'root' || embedded) resourceFields(out, properties, path);
	if (level === 'root') rootMetadata(out, properties['metadata'], `${path}.properties[metadata]`);
}

/** kind, apiVersion and metadata are Kubernetes' own. */
function resourceFields(out: Errors, properties: Readonly<Record<string, Schema>>, path: string): void {
	for (const name of ['kind', 'apiVersion']) {
		const type = properties[name]?.type;
		if (properties[name] !== undefined && type !== 'string')
			out.push(invalidValue(`${path}.properties[${name}].type`, type ?? '', 'must be string'));
	}
	const { metadata } = properties;
	if (metadata === undefined) return;
	if (metadata.type !== 'object') out.push(invalidValue(`${path}.properties[metadata].type`, metadata.type ?? '', 'must be object'));
}

/** Nothing but rules for its names may be said of an object's own metadata; its default is looked at elsewhere. */
function rootMetadata(out: Errors, metadata: Schema | undefined, at: string): void {
	const { type: _t, default: _d, properties: fields = {}, ...rest } = metadata ?? {};
	const isOther = Object.keys(fields).some((name) => name !== 'name' && name !== 'generateName');
	if (isOther || Object.values(rest).some((value) => value !== '' && value !== false))
		out.push(fieldForbidden(at, 'must not specify anything other than name and generateName, but metadata is implicitly specified'));
}

const INT_OR_STRING = JSON.stringify([{ type: 'integer' }, { type: 'string' }]);
const isIntOrString = (anyOf: readonly Schema[] | undefined): boolean => anyOf !== undefined && JSON.stringify(anyOf) === INT_OR_STRING;

/** The two spellings of int-or-string may name types inside anyOf. */
function nestedRules(out: Errors, schema: Schema, path: string): void {
	const { allOf = [], anyOf = [], oneOf = [], not, pattern = '' } = schema;
	allOf.forEach((one, i) => {
		if (i === 0 && isIntOrString(one.anyOf)) return;
		nested(out, one, `${path}.allOf[${i}]`);
	});
	if (!isIntOrString(anyOf)) anyOf.forEach((one, i) => nested(out, one, `${path}.anyOf[${i}]`));
	oneOf.forEach((one, i) => nested(out, one, `${path}.oneOf[${i}]`));
	if (not !== undefined) nested(out, not, `${path}.not`);
	if (pattern === '') return;
	try {
		patternOf(pattern);
	} catch (error) {
		const why = (error as Error).message;
		out.push(invalidValue(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${why}`));
	}
}

const EMPTY = 'must be empty to be structural';
const UNDEFINED = 'must be undefined to be structural';
const FALSE = 'must be false to be structural';

const FORBIDDEN: readonly (readonly [keyof Schema, string])[] = [
	['type', EMPTY],
	['additionalProperties', UNDEFINED],
	['title', EMPTY],
	['description', EMPTY],
	['default', UNDEFINED],
	['nullable', FALSE],
	['x-kubernetes-preserve-unknown-fields', FALSE],
	['x-kubernetes-embedded-resource', FALSE],
	['x-kubernetes-int-or-string', FALSE],
	['x-kubernetes-list-map-keys', EMPTY],
	['x-kubernetes-list-type', UNDEFINED],
	['x-kubernetes-map-type', UNDEFINED],
	['x-kubernetes-validations', EMPTY],
];

function nested(out: Errors, schema: Schema, path: string): void {
	nestedRules(out, schema, path);
	if (schema.items !== undefined) nested(out, schema.items, `${path}.items`);
	for (const [name, property] of Object.entries(schema.properties ?? {})) nested(out, property, `${path}.properties[${name}]`);
	for (const [key, why] of FORBIDDEN) {
		const value = schema[key];
		if (value !== undefined && value !== '' && value !== false) out.push(fieldForbidden(`${path}.${key}`, why));
	}
	if (schema.properties?.['metadata'] !== undefined)
		out.push(fieldForbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'));
}

/** What a nested schema speaks of must be declared outside of it. */
function completeness(out: Errors, schema: Schema, declared: Schema | undefined, path: string, declaredPath: string): void {
	const inside = (one: Schema, at: string): void => {
		if (one.items !== undefined) {
			if (declared?.items === undefined) out.push(required(`${declaredPath}.items`, `because it is defined in ${at}.items`));
			else completeness(out, { not: one.items }, declared.items, `${at}.items`, `${declaredPath}.items`);
		}
		for (const [name, property] of Object.entries(one.properties ?? {})) {
			const at2 = `${at}.properties[${name}]`;
			const target = declared?.properties?.[name] ?? additionalOf(declared);
			if (target === undefined) {
				if (declared?.['x-kubernetes-preserve-unknown-fields'] !== true || declared.additionalProperties === undefined)
					out.push(required(`${declaredPath}.properties[${name}]`, `because it is defined in ${at2}`));
			} else completeness(out, { not: property }, target, at2, `${declaredPath}.properties[${name}]`);
		}
		completeness(out, { ...one, items: undefined, properties: undefined } as unknown as Schema, declared, at, declaredPath);
	};
	const { allOf = [], anyOf = [], oneOf = [], not } = schema;
	allOf.forEach((one, i) => inside(one, `${path}.allOf[${i}]`));
	anyOf.forEach((one, i) => inside(one, `${path}.anyOf[${i}]`));
	oneOf.forEach((one, i) => inside(one, `${path}.oneOf[${i}]`));
	if (not !== undefined) inside(not, path.endsWith('.not') || schema.type === undefined ? path : `${path}.not`);
	if (schema !== declared) return;
	if (schema.items !== undefined) completeness(out, schema.items, schema.items, `${path}.items`, `${path}.items`);
	for (const [name, property] of Object.entries(schema.properties ?? {}))
		completeness(out, property, property, `${path}.properties[${name}]`, `${path}.properties[${name}]`);
	const additional = additionalOf(schema);
	if (additional !== undefined) completeness(out, additional, additional, `${path}.additionalProperties`, `${path}.additionalProperties`);
}
