/** Rules for the schema of a CustomResourceDefinition, in upstream's order and words (apiextensions validation.go). */
import { fieldForbidden, internal, notSupported, type FieldError } from '../field-error.ts';
import { sentEmpty } from '../sent-empty.ts';
import { declaredOf } from './cel-types.ts';
import { expressionErrors, type CostContext } from './expression-rules.ts';
import { extensionErrors } from './extension-rules.ts';
import { ASKED, type SchemaSkips } from './schema-options.ts';
import { additionalOf, isObject, itemsOf, RESOURCE_KEYS, type Schema } from './schema.ts';
import { ruleTextErrors } from './rule-texts.ts';

/** What is found goes apart: expressions are only compiled where the schema itself is good. */
export interface SchemaErrors {
	readonly schema: FieldError[];
	readonly expressions: FieldError[];
}

interface Place {
	readonly isRoot: boolean;
	/** Where old and new values can no longer be told to belong together. */
	readonly uncorrelatable: string | undefined;
	/** Whether a rule here or around needs a type of its place, and there is one: where there is none, there is none inside. */
	readonly types: 'unneeded' | 'known' | 'missing';
	/** Undefined: expressions are not looked at here. */
	readonly cost: CostContext | undefined;
	readonly insideMeta: boolean;
	/** Why nothing may have a default here. */
	readonly noDefaults: string | undefined;
	readonly skips: SchemaSkips;
}

/** @param cost undefined where the schema is not structural */
export function schemaErrors(schema: Schema, path: string, cost: CostContext | undefined, skips: SchemaSkips = ASKED): SchemaErrors {
	const out: SchemaErrors = { schema: [], expressions: [] };
	walk(out, schema, path, {
		isRoot: true,
		uncorrelatable: undefined,
		types: 'unneeded',
		cost,
		insideMeta: false,
		noDefaults: undefined,
		skips,
	});
	return out;
}

function walk(out: SchemaErrors, schema: Schema, path: string, place: Place): void {
	const before = out.schema.length;
	standard(out.schema, schema, path, place);
	if (schema.uniqueItems === true)
		out.schema.push(
			fieldForbidden(`${path}.uniqueItems`, 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'),
		);
	const rules = schema['x-kubernetes-validations'] ?? [];
	const types = place.cost === undefined ? 'unneeded' : typesAt(schema, place, rules.length > 0);
	children(out, schema, path, { ...place, types });
	out.schema.push(...extensionErrors(schema, path, place.skips));
	if (rules.length === 0) return;
	out.schema.push(...ruleTextErrors(schema, path));
	if (out.schema.length > before || place.cost === undefined) return;
	if (types === 'missing') out.expressions.push(internal(`${path}.x-kubernetes-validations`, NO_TYPE));
	else out.expressions.push(...expressionErrors(schema, path, place, place.cost));
}

const NO_TYPE =
	'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';

function typesAt(schema: Schema, { types, isRoot }: Place, hasRules: boolean): Place['types'] {
	if (types === 'missing' || (types === 'unneeded' && !hasRules)) return types;
	return declaredOf(schema, isRoot || schema['x-kubernetes-embedded-resource'] === true) === undefined ? 'missing' : 'known';
}

function children(out: SchemaErrors, schema: Schema, path: string, place: Place): void {
	const inner = { ...place, isRoot: false, cost: place.cost?.inside(schema) };
	const additional = additionalOf(schema);
	if (schema.additionalProperties !== undefined && schema.additionalProperties !== true && Object.keys(schema.properties ?? {}).length > 0)
		out.schema.push(fieldForbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'));
	if (additional !== undefined)
		walk(out, additional, `${path}.additionalProperties`, {
			...inner,
			noDefaults: place.insideMeta ? 'inside additionalProperties applying to object metadata' : place.noDefaults,
		});
	const isKnownMap = ['granular', 'atomic'].includes(schema['x-kubernetes-map-type'] ?? 'granular');
	for (const [name, property] of Object.entries(schema.properties ?? {})) {
		const isMeta = (place.isRoot || schema['x-kubernetes-embedded-resource'] === true) && RESOURCE_KEYS.has(name);
		walk(out, property, `${path}.properties[${name}]`, {
			...inner,
			uncorrelatable: isKnownMap ? place.uncorrelatable : (place.uncorrelatable ?? path),
			insideMeta: place.insideMeta || isMeta,
			noDefaults: isMeta && place.isRoot ? `in top-level ${name}` : place.noDefaults,
		});
	}
	const nested = { ...inner, cost: undefined };
	if (schema.not !== undefined) walk(out, schema.not, `${path}.not`, nested);
	for (const key of ['allOf', 'oneOf', 'anyOf'] as const)
		(schema[key] ?? []).forEach((one, i) => walk(out, one, `${path}.${key}[${i}]`, nested));
	const { definitions = {}, dependencies = {} } = schema as Unsupported;
	for (const [name, one] of Object.entries(definitions)) walk(out, one, `${path}.definitions[${name}]`, nested);
	const lost = schema['x-kubernetes-list-type'] === 'map' ? place.uncorrelatable : (place.uncorrelatable ?? path);
	const items = itemsOf(schema);
	if (items !== undefined) walk(out, items, `${path}.items`, { ...inner, uncorrelatable: lost });
	listed(schema.items).forEach((one, i) => walk(out, one, `${path}.items[${i}]`, { ...nested, uncorrelatable: lost }));
	for (const [name, one] of Object.entries(dependencies))
		if (isObject(one)) walk(out, one as Schema, `${path}.dependencies[${name}]`, nested);
}

/** Is refused, and looked into all the same. */
interface Unsupported {
	readonly definitions?: Readonly<Record<string, Schema>>;
	/** Of a schema, or of names. */
	readonly dependencies?: Readonly<Record<string, Schema | readonly string[]>>;
}

const listed = (items: unknown): readonly Schema[] => (Array.isArray(items) ? (items as readonly Schema[]) : []);

/** In upstream's order. */
const UNSUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const;
const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

export const isType = (type: string): boolean => TYPES.includes(type);

/** specStandardValidatorV3 */
function standard(out: FieldError[], schema: Schema, path: string, place: Place): void {
	const given = schema as Readonly<Record<string, unknown>>;
	const { type = '' } = schema;
	if (type !== '' && !isType(type) && !place.skips.has('anyType')) out.push(notSupported(`${path}.type`, type, TYPES));
	if (schema.default !== undefined && place.noDefaults !== undefined)
		out.push(fieldForbidden(`${path}.default`, `must not be set ${place.noDefaults}`));
	for (const key of UNSUPPORTED) {
		const value = given[key];
		const isEmpty = key !== 'additionalItems' && typeof value === 'object' && value !== null && Object.keys(value).length === 0;
		// An empty reference is one, and dependencies on nothing are some.
		const isSet = value !== undefined && !isEmpty && (value !== '' || key === '$ref');
		if (isSet || (key === 'dependencies' && sentEmpty(schema, key) !== undefined))
			out.push(fieldForbidden(`${path}.${key}`, `${key} is not supported`));
	}
	if (type === 'null') out.push(fieldForbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'));
	if (listed(schema.items).length > 0) out.push(fieldForbidden(`${path}.items`, 'items must be a schema object and not an array'));
	if (place.insideMeta && schema['x-kubernetes-embedded-resource'] === true)
		out.push(fieldForbidden(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'));
}
