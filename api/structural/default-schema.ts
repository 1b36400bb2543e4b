/** The schema that defaults are validated by: upstream makes it another way than the one for objects (ToKubeOpenAPI). */
import { ANY_FORMAT, type Schema } from './schema.ts';

const made = new WeakMap<Schema, Schema>();

/** An integer or a string may be anything, and a format is one whatever the type is. */
export function schemaOfDefaults(schema: Schema): Schema {
	let found = made.get(schema);
	if (found === undefined) {
		found = make(schema);
		made.set(schema, found);
	}
	return found;
}

function make({ 'x-kubernetes-int-or-string': _, ...schema }: Schema): Schema {
	const { items, properties, additionalProperties, not, allOf, anyOf, oneOf } = schema;
	return {
		...schema,
		[ANY_FORMAT]: true,
		...(items === undefined ? {} : { items: schemaOfDefaults(items) }),
		...(properties === undefined
			? {}
			: { properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, schemaOfDefaults(one)])) }),
		...(typeof additionalProperties === 'object' ? { additionalProperties: schemaOfDefaults(additionalProperties) } : {}),
		...(not === undefined ? {} : { not: schemaOfDefaults(not) }),
		...(allOf === undefined ? {} : { allOf: allOf.map(schemaOfDefaults) }),
		...(anyOf === undefined ? {} : { anyOf: anyOf.map(schemaOfDefaults) }),
		...(oneOf === undefined ? {} : { oneOf: oneOf.map(schemaOfDefaults) }),
	};
}
