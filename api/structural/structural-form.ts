/** Which schemas have a structural form at all (apiextensions schema/convert.go). */
import { innerSchemas, type Schema } from './schema.ts';

const WITHOUT_FORM = ['id', '$schema', '$ref', 'patternProperties', 'dependencies', 'definitions'];

/** What has none (references, lists of schemas, ...) is told of by the other rules. */
export function isConvertible(schema: Schema): boolean {
	const given = schema as Readonly<Record<string, unknown>>;
	if (!WITHOUT_FORM.every((key) => isEmpty(given[key])) || given['additionalItems'] !== undefined) return false;
	if (schema['x-kubernetes-preserve-unknown-fields'] === false || (Array.isArray(schema.items) && schema.items.length > 0)) return false;
	return innerSchemas(schema).every(isConvertible);
}

function isEmpty(value: unknown): boolean {
	return value === undefined || value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}
