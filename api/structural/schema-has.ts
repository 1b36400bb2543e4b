/** Looking for something anywhere in a schema, as upstream's SchemaHas: also in parts that no schema may have any more. */
import { innerSchemas, isObject, type Schema } from './schema.ts';

export function schemaHas(schema: Schema, matches: (schema: Schema) => boolean): boolean {
	return matches(schema) || [...innerSchemas(schema).flatMap(eachOf), ...refusedSchemas(schema)].some((inner) => schemaHas(inner, matches));
}

/** Items may be a list of schemas. */
const eachOf = (given: unknown): readonly Schema[] => (Array.isArray(given) ? given : [given]).filter(isObject) as readonly Schema[];

/** Those in parts that are not supported; dependencies may be names, too. */
function refusedSchemas(schema: Schema): readonly Schema[] {
	const given = schema as Readonly<Record<string, unknown>>;
	const named = ['patternProperties', 'definitions', 'dependencies'].flatMap((key) => Object.values(given[key] ?? {}));
	return [...named, given['additionalItems']].filter(isObject) as readonly Schema[];
}
