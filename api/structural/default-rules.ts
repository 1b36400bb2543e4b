/** Defaults must themselves be valid: nothing unknown in them, and of their schema. */
import { invalidValue, required, type FieldError } from '../field-error.ts';
import { checkLists } from './lists.ts';
import { pruneValue } from './prune.ts';
import { additionalOf, isObject, type Schema } from './schema.ts';
import { validateValue } from './validate.ts';

/** @param isRoot the schema is that of a whole resource */
export function defaultErrors(schema: Schema, path: string, isRoot = true): FieldError[] {
	const out: FieldError[] = [];
	const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true;
	if (schema.default !== undefined && schema.default !== null) {
		const at = `${path}.default`;
		if (pruneValue(structuredClone(schema.default), schema).length > 0)
			out.push(invalidValue(at, schema.default, 'must not have unknown fields'));
		else {
			const { default: _, ...rest } = schema;
			out.push(...validateValue(schema.default, rest, '').map((error) => placed(error, at)), ...checkLists(schema.default, rest, at));
		}
		if (isResource && isObject(schema.default))
			for (const key of ['apiVersion', 'kind']) if (schema.default[key] === undefined) out.push(required(`${at}.${key}`));
	}
	if (schema.items !== undefined) out.push(...defaultErrors(schema.items, `${path}.items`, false));
	for (const [name, property] of Object.entries(schema.properties ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)))
		out.push(...defaultErrors(property, `${path}.properties[${name}]`, false));
	const additional = additionalOf(schema);
	if (additional !== undefined) out.push(...defaultErrors(additional, `${path}.additionalProperties`, false));
	return out;
}

/** The messages name the place within the default, the field the whole of it. */
function placed(error: FieldError, at: string): FieldError {
	const { field } = error;
	return { ...error, field: field === '' || field === '<nil>' ? at : field.startsWith('[') ? `${at}${field}` : `${at}.${field}` };
}
