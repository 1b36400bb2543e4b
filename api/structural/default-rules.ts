/**
 * Defaults must themselves be valid (apiextensions schema/defaulting): nothing unknown in them, of their schema, and good by its rules, both
 * for an object that is new and for one that has them already. Those of additionalProperties are not looked at.
 */
import { invalidValue, type FieldError } from '../field-error.ts';
import { checkRules } from './cel-check.ts';
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
}

/** @param schema that of a whole resource; @param mayBeUnknown fields that nobody knows are no fault */
export function defaultErrors(schema: Schema, path: string, mayBeUnknown = false): FieldError[] {
	return walk(schema, path, { isRoot: true, around: undefined, within: typed, mayBeUnknown });
}

/** A resource of some type. */
function typed(value: unknown): unknown {
	return isObject(value) ? { apiVersion: 'validation/v1', kind: 'Validation', ...value } : value;
}

function walk(schema: Schema, path: string, given: Place): FieldError[] {
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

function ofDefault(schema: Schema, value: unknown, at: string, { isRoot, around, mayBeUnknown }: Place): FieldError[] {
	const out: FieldError[] = [];
	if (around !== undefined) {
		const wrong = resourceErrors(around(structuredClone(value)) as Json, '').map(({ field, message }) => `${field}: ${message}`);
		if (wrong.length > 0) {
			const texts = wrong.length === 1 ? wrong[0] : `[${wrong.join(', ')}]`;
			return [invalidValue(at, inOrder(value), `must result in valid metadata: ${texts}`)];
		}
	} else {
		if (!mayBeUnknown && pruneValue(structuredClone(value), schema).length > 0)
			out.push(invalidValue(at, inOrder(value), 'must not have unknown fields'));
		const isWhole = isRoot && schema['x-kubernetes-embedded-resource'] !== true && isObject(value);
		const embedded = [...(isWhole ? resourceErrors(value, at) : []), ...embeddedErrors(value, schema, at)];
		if (embedded.length > 0) return [...out, ...embedded];
	}
	const { default: _, ...rest } = schema;
	const wrong = validateValue(value, rest, '').map((error) => ({ ...error, field: isNamed(error) ? `${at}.${error.field}` : at }));
	if (wrong.length > 0) return [...out, ...wrong];
	const failing = (before?: { readonly value: unknown }): FieldError[] =>
		checkRules(value, schema, before, { isResource: isRoot, ratcheting: false }).map((error) => ({
			...error,
			field: !isNamed(error) ? at : error.field.startsWith('[') ? `${at}${error.field}` : `${at}.${error.field}`,
		}));
	const unchanged = failing({ value });
	return [...out, ...(unchanged.length > 0 ? unchanged : failing())];
}

const isNamed = ({ field }: FieldError): boolean => field !== '' && field !== '<nil>';
