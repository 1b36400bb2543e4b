/** Defaults must themselves be valid: nothing unknown in them, and of their schema. */
import { invalidValue, type FieldError } from '../field-error.ts';
import { checkLists } from './lists.ts';
import { pruneValue } from './prune.ts';
import { additionalOf, type Schema } from './schema.ts';
import { validateValue } from './validate.ts';

export function defaultErrors(schema: Schema, path: string): FieldError[] {
	const out: FieldError[] = [];
	if (schema.default !== undefined && schema.default !== null) {
		const at = `${path}.default`;
		if (pruneValue(structuredClone(schema.default), schema).length > 0)
			out.push(invalidValue(at, schema.default, 'must not have unknown fields'));
		else {
			const { default: _, ...rest } = schema;
			out.push(...validateValue(schema.default, rest, at), ...checkLists(schema.default, rest, at));
		}
	}
	if (schema.items !== undefined) out.push(...defaultErrors(schema.items, `${path}.items`));
	for (const [name, property] of Object.entries(schema.properties ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)))
		out.push(...defaultErrors(property, `${path}.properties[${name}]`));
	const additional = additionalOf(schema);
	if (additional !== undefined) out.push(...defaultErrors(additional, `${path}.additionalProperties`));
	return out;
}
