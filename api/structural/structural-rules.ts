/** What makes a schema structural: a type everywhere, nothing but value rules inside anyOf, oneOf, allOf and not (apiextensions schema/validation.go). */
import { patternOf } from '../cel/libraries/pattern.ts';
import { fieldForbidden, invalidValue, required, type FieldError } from '../field-error.ts';
import { sentEmpty } from '../sent-empty.ts';
import { additionalOf, itemsOf, propertyOf, type Schema } from './schema.ts';

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
	const { type = '', properties = {}, additionalProperties } = schema;
	const items = itemsOf(schema);
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
	nestedRules(out, schema, path, 'declared');
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

/** Lists that say something to upstream though nothing is in them. */
const SAID_EMPTY = ['required', 'x-kubernetes-list-map-keys', 'x-kubernetes-validations'];

/** Nothing but rules for its names may be said of an object's own metadata; its default is looked at elsewhere. */
function rootMetadata(out: Errors, metadata: Schema | undefined, at: string): void {
	const { type: _t, default: _d, properties: fields = {}, additionalProperties, ...rest } = metadata ?? {};
	const isOther = additionalProperties !== undefined || Object.keys(fields).some((name) => name !== 'name' && name !== 'generateName');
	const isSaid = (value: unknown): boolean => value !== '' && value !== false && !(Array.isArray(value) && value.length === 0);
	const isSentEmpty = SAID_EMPTY.some((key) => sentEmpty(metadata, key) !== undefined);
	if (isOther || isSentEmpty || Object.values(rest).some(isSaid))
		out.push(fieldForbidden(at, 'must not specify anything other than name and generateName, but metadata is implicitly specified'));
}

const INT_OR_STRING = JSON.stringify([{ type: 'integer' }, { type: 'string' }]);
const isIntOrString = (anyOf: readonly Schema[] | undefined): boolean => anyOf !== undefined && JSON.stringify(anyOf) === INT_OR_STRING;

/** Whose types may be named inside anyOf, as int-or-string is spelled: a schema's that is declared, its first allOf's, or nobody's. */
type Spelling = 'declared' | 'first' | 'none';

function nestedRules(out: Errors, schema: Schema, path: string, spelling: Spelling): void {
	const { allOf = [], anyOf = [], oneOf = [], not, pattern = '' } = schema;
	allOf.forEach((one, i) => nested(out, one, `${path}.allOf[${i}]`, spelling === 'declared' && i === 0 ? 'first' : 'none'));
	if (spelling === 'none' || !isIntOrString(anyOf)) anyOf.forEach((one, i) => nested(out, one, `${path}.anyOf[${i}]`));
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

const FORBIDDEN: readonly (readonly [Exclude<keyof Schema, symbol>, string])[] = [
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

function nested(out: Errors, schema: Schema, path: string, spelling: Spelling = 'none'): void {
	nestedRules(out, schema, path, spelling);
	const items = itemsOf(schema);
	if (items !== undefined) nested(out, items, `${path}.items`);
	for (const [name, property] of Object.entries(schema.properties ?? {})) nested(out, property, `${path}.properties[${name}]`);
	for (const [key, why] of FORBIDDEN) {
		const value = schema[key];
		if (value !== undefined && value !== '' && value !== false) out.push(fieldForbidden(`${path}.${key}`, why));
	}
	if (schema.properties?.['metadata'] !== undefined)
		out.push(fieldForbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'));
}

/** What the rules nested in the root speak of must be declared outside of them (upstream looks at no other schema's). */
function completeness(
	out: Errors,
	{ allOf = [], anyOf = [], oneOf = [], not }: Schema,
	declared: Schema,
	path: string,
	declaredPath: string,
): void {
	const nestedAt = (one: Schema, at: string): void => declaredToo(out, one, declared, `${path}.${at}`, declaredPath);
	if (not !== undefined) nestedAt(not, 'not');
	allOf.forEach((one, i) => nestedAt(one, `allOf[${i}]`));
	anyOf.forEach((one, i) => nestedAt(one, `anyOf[${i}]`));
	oneOf.forEach((one, i) => nestedAt(one, `oneOf[${i}]`));
}

function declaredToo(out: Errors, nestedRule: Schema, declared: Schema | undefined, path: string, declaredPath: string): void {
	if (declared === undefined) {
		out.push(required(declaredPath, `because it is defined in ${path}`));
		return;
	}
	completeness(out, nestedRule, declared, path, declaredPath);
	const { properties = {} } = nestedRule;
	const items = itemsOf(nestedRule);
	if (items !== undefined) declaredToo(out, items, itemsOf(declared), `${path}.items`, `${declaredPath}.items`);
	for (const [name, property] of Object.entries(properties)) {
		const at = `.properties[${name}]`;
		declaredToo(out, property, propertyOf(declared, name), path + at, declaredPath + at);
	}
}
