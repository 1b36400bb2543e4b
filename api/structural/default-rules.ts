/**
 * Defaults must themselves be valid (apiextensions schema/defaulting): nothing unknown in them, of their schema, and good by its rules, both
 * for an object that is new and for one that has them already. Those of additionalProperties are not looked at.
 */
import { RUNTIME_BUDGET } from '../cel/environment.ts';
import { invalidValue, type FieldError } from '../field-error.ts';
import { sameJson } from '../same-json.ts';
import { checkRules, type Budget } from './cel-check.ts';
import { asResource, coerced } from './coerce.ts';
import { schemaOfDefaults } from './default-schema.ts';
import { embeddedErrors, resourceErrors } from './embedded.ts';
import { pruneValue } from './prune.ts';
import { inOrder, isObject, RESOURCE_KEYS, type Json, type Schema } from './schema.ts';
import { validateValue } from './validate.ts';

interface Place {
	readonly isRoot: boolean;
	/** Inside of a resource's type or metadata: the resource with a value at this place. */
	readonly around: ((value: unknown) => unknown) | undefined;
	/** The same for what is not inside of metadata yet. */
	readonly within: (value: unknown) => unknown;
	readonly mayBeUnknown: boolean;
	/** Of the rules of all defaults together. */
	readonly budget: Budget;
}

/** @param schema that of a whole resource; @param mayBeUnknown fields that nobody knows are no fault */
export function defaultErrors(schema: Schema, path: string, mayBeUnknown = false, budget: Budget = { left: RUNTIME_BUDGET }): FieldError[] {
	return walk(schema, path, { isRoot: true, around: undefined, within: typed, mayBeUnknown, budget });
}

/** A resource of some type. */
function typed(value: unknown): unknown {
	return isObject(value) ? { apiVersion: 'validation/v1', kind: 'Validation', ...value } : value;
}

function walk(schema: Schema, path: string, given: Place): FieldError[] {
	if (given.budget.left < 0) return [];
	const isResource = given.isRoot || schema['x-kubernetes-embedded-resource'] === true;
	const place = isResource ? { ...given, isRoot: true, around: undefined, within: typed } : given;
	const out: FieldError[] = [];
	if (schema.default !== undefined && schema.default !== null) out.push(...ofDefault(schema, schema.default, `${path}.default`, place));
	const inner = (step: (value: unknown) => unknown, isMeta: boolean): Place => {
		const within = (value: unknown): unknown => place.within(step(value));
		return { ...place, isRoot: false, within, around: isMeta ? within : undefined };
	};
	const { items, properties = {} } = schema;
	if (items !== undefined)
		out.push(
			...walk(
				items,
				`${path}.items`,
				inner((value) => [value], place.around !== undefined),
			),
		);
	for (const [name, property] of Object.entries(properties).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
		const isMeta = place.around !== undefined || (isResource && RESOURCE_KEYS.has(name));
		out.push(
			...walk(
				property,
				`${path}.properties[${name}]`,
				inner((value) => ({ [name]: value }), isMeta),
			),
		);
	}
	return out;
}

function ofDefault(schema: Schema, value: unknown, at: string, { isRoot, around, mayBeUnknown, budget }: Place): FieldError[] {
	const out: FieldError[] = [];
	if (around !== undefined) {
		const wrong = metadataErrors(around(structuredClone(value)), asResource({}), '').map(({ field, message }) => `${field}: ${message}`);
		if (wrong.length > 0) {
			const texts = wrong.length === 1 ? wrong[0] : `[${wrong.join(', ')}]`;
			return [invalidValue(at, inOrder(value), `must result in valid metadata: ${texts}`)];
		}
	} else {
		const fitting = isRoot ? asResource(schema) : schema;
		// Upstream shows what coercion made of it.
		if (!mayBeUnknown && pruneValue(structuredClone(value), fitting).length > 0)
			out.push(invalidValue(at, inOrder(coerced([], value, fitting, at)), 'must not have unknown fields'));
		const embedded = metadataErrors(value, fitting, at);
		if (embedded.length > 0) return [...out, ...embedded];
	}
	const wrong = validateValue(value, schemaOfDefaults(schema), '').map((error) => ({
		...error,
		field: isNamed(error) ? `${at}.${error.field}` : at,
	}));
	if (wrong.length > 0) return [...out, ...wrong];
	// Both runs begin with the same budget, and the dearer one counts.
	const given = budget.left;
	const failing = (before?: { readonly value: unknown }): FieldError[] => {
		const spent: Budget = { left: given };
		const errors = checkRules(value, schema, before, { isResource: isRoot, ratcheting: false, budget: spent });
		budget.left = Math.min(budget.left, spent.left);
		return errors.map((error) => ({
			...error,
			field: !isNamed(error) ? at : error.field.startsWith('[') ? `${at}${error.field}` : `${at}.${error.field}`,
		}));
	};
	const unchanged = failing({ value });
	return [...out, ...(unchanged.length > 0 ? unchanged : failing())];
}

const isNamed = ({ field }: FieldError): boolean => field !== '' && field !== '<nil>';

/** What does not fit is told alone. */
function metadataErrors(value: unknown, schema: Schema, at: string): readonly FieldError[] {
	const misfits: FieldError[] = [];
	const made = coerced(misfits, value, schema, at);
	if (misfits.length > 0) return misfits.slice(0, 1);
	return at === '' ? resourceErrors(made as Json, at) : embeddedErrors(made, schema, at);
}

/** Defaults as validation leaves them, in place: coerced, unless they are inside of metadata themselves. */
export function coerceDefaults(schema: Schema): void {
	coerceIn(asResource(schema), schema, false);
}

/** @param schema the one that is changed @param fitting as what it is taken */
function coerceIn(fitting: Schema, schema: { default?: unknown } & Omit<Schema, 'default'>, isAround: boolean): void {
	const isResource = fitting['x-kubernetes-embedded-resource'] === true;
	const isMeta = isAround && !isResource;
	if (schema.default !== undefined && !isMeta) {
		const misfits: FieldError[] = [];
		const made = coerced(misfits, schema.default, fitting, '');
		if (misfits.length === 0 && !sameJson(made, schema.default)) schema.default = made;
	}
	const { items, properties = {} } = schema;
	if (items !== undefined) coerceIn(items, items, isMeta);
	for (const [name, property] of Object.entries(properties))
		coerceIn(property, property, isMeta || (isResource && RESOURCE_KEYS.has(name)));
}
