/** Schemas of definitions from before schemas had to be structural (spec.preserveUnknownFields): they check values, and drop nothing. */
import { additionalOf, type Schema } from './schema.ts';

/** The schema with every object keeping what it does not know, and every null. For reading values, not for checking them. */
export function keepingAll(given: Schema): Schema {
	const { additionalProperties: _, ...schema } = given;
	const others = additionalOf(given);
	return {
		...{ ...schema, nullable: true, 'x-kubernetes-preserve-unknown-fields': true },
		...(schema.items === undefined ? {} : { items: keepingAll(schema.items) }),
		...(others === undefined ? {} : { additionalProperties: keepingAll(others) }),
		...(schema.properties === undefined
			? {}
			: { properties: Object.fromEntries(Object.entries(schema.properties).map(([name, property]) => [name, keepingAll(property)])) }),
	};
}
