/** Which schemas have a structural form at all (apiextensions schema/convert.go). */
import { innerSchemas, type Schema } from './schema.ts';

/** Keys that no structural form has, in the order in which upstream looks for them, with its names for them. */
const WITHOUT_FORM = [
	['id', 'id'],
	['$schema', 'schema'],
	['$ref', '$ref'],
	['patternProperties', 'patternProperties'],
	['dependencies', 'dependencies'],
	['additionalItems', 'additionalItems'],
	['definitions', 'definitions'],
] as const;

/** What has none (references, lists of schemas, ...) is told of by the other rules. */
export function isConvertible(schema: Schema): boolean {
	return formFault(schema) === undefined;
}

/** Why a schema has no structural form, in upstream's words; undefined: it has one. */
export function formFault(schema: Schema): string | undefined {
	const given = schema as Readonly<Record<string, unknown>>;
	for (const [key, name] of WITHOUT_FORM)
		if (key === 'additionalItems' ? given[key] !== undefined : !isEmpty(given[key])) return `OpenAPIV3Schema '${name}' is not supported`;
	if (schema['x-kubernetes-preserve-unknown-fields'] === false)
		return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
	if (Array.isArray(schema.items) && schema.items.length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
	for (const inner of innerSchemas(schema)) {
		const fault = formFault(inner);
		if (fault !== undefined) return fault;
	}
	return undefined;
}

function isEmpty(value: unknown): boolean {
	return value === undefined || value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}
