/** OpenAPI schemas of version 3 as types of expressions, as upstream's type checker sees them (apiserver/pkg/cel/common SchemaDeclType). Pure. */
import { byField, escapedField } from '../cel/json.ts';
import { BOOL, BYTES, DATE, DOUBLE, DURATION, DYN, INT, listOf, mapOf, STRING, TIMESTAMP, type Type } from '../cel/types.ts';

/** What is read of a schema. */
export interface Schema {
	readonly $ref?: string;
	readonly allOf?: readonly Schema[];
	readonly type?: string;
	readonly format?: string;
	readonly items?: Schema;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly additionalProperties?: Schema | boolean;
	readonly 'x-kubernetes-int-or-string'?: boolean;
	readonly 'x-kubernetes-embedded-resource'?: boolean;
	readonly 'x-kubernetes-group-version-kind'?: readonly KindName[];
}

export interface KindName {
	readonly group: string;
	readonly version: string;
	readonly kind: string;
}

export type Definitions = (name: string) => Schema | undefined;

export const REF = '#/components/schemas/';

/** The type of a kind in a group version's document (`/openapi/v3/apis/GROUP/VERSION`); undefined: it is not there. */
export function documentKindType(document: unknown, wanted: KindName): Type | undefined {
	const definitions =
		(document as { readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> } }).components?.schemas ?? {};
	const name = Object.keys(definitions).find((key) =>
		definitions[key]?.['x-kubernetes-group-version-kind']?.some(
			({ group, version, kind }) => group === wanted.group && version === wanted.version && kind === wanted.kind,
		),
	);
	return name === undefined ? undefined : kindType((key) => definitions[key], name, wanted.kind);
}

/** @param name of the kind's definition */
export function kindType(definition: Definitions, name: string, kind: string): Type | undefined {
	return new Types(definition).root(name, kind);
}

class Types {
	readonly #definition: Definitions;

	constructor(definition: Definitions) {
		this.#definition = definition;
	}

	root(name: string, typeName: string): Type | undefined {
		return this.#type({ $ref: REF + name }, typeName, true, []);
	}

	/**
	 * Undefined: expressions cannot reach it.
	 * @param name of the type, should it be an object: its place below the root
	 * @param above definitions that this one is inside of; one that is inside itself shows nothing more
	 */
	#type(given: Schema, name: string, isResource: boolean, above: readonly string[]): Type | undefined {
		const ref = refOf(given);
		if (ref !== undefined && above.includes(ref)) return objectType(name, new Map());
		const within = ref === undefined ? above : [...above, ref];
		const schema = ref === undefined ? given : this.#definition(ref);
		if (schema === undefined) return undefined;
		if (schema.format === 'int-or-string' || schema['x-kubernetes-int-or-string'] === true) return DYN;
		const below = (inner: Schema, place: string): Type | undefined =>
			this.#type(inner, `${name}.${place}`, inner['x-kubernetes-embedded-resource'] === true, within);
		switch (schema.type ?? '') {
			case 'array': {
				const items = schema.items === undefined ? undefined : below(schema.items, '@idx');
				return items === undefined ? undefined : listOf(items);
			}
			case 'object': {
				const { additionalProperties } = schema;
				if (typeof additionalProperties !== 'object') return this.#object(schema, name, isResource, below);
				const values = below(additionalProperties, '@elem');
				return values === undefined ? undefined : mapOf(STRING, values);
			}
			case 'string':
				return textType(schema.format);
			case 'boolean':
				return BOOL;
			case 'number':
				return DOUBLE;
			case 'integer':
				return INT;
		}
		return undefined;
	}

	#object({ properties = {} }: Schema, name: string, isResource: boolean, below: (inner: Schema, place: string) => Type | undefined): Type {
		const all = new Map(Object.entries(properties));
		if (isResource) for (const [key, schema] of Object.entries(ALWAYS)) if (!all.has(key)) all.set(key, schema);
		const fields = new Map<string, Schema>();
		for (const [key, schema] of all) {
			const field = escapedField(key);
			if (field !== undefined) fields.set(field, schema);
		}
		return objectType(name, fields, below);
	}
}

/** Every resource has these, whatever its schema says. */
const ALWAYS: Readonly<Record<string, Schema>> = {
	apiVersion: { type: 'string' },
	kind: { type: 'string' },
	metadata: { type: 'object', properties: { name: { type: 'string' }, generateName: { type: 'string' } } },
};

/** Fields get their types when they are asked for: few are. */
function objectType(name: string, fields: ReadonlyMap<string, Schema>, below?: (inner: Schema, place: string) => Type | undefined): Type {
	const known = new Map<Schema, Type | undefined>();
	const field = (key: string): Type | undefined => {
		const schema = byField(fields, key);
		if (schema === undefined || below === undefined) return undefined;
		if (!known.has(schema)) known.set(schema, below(schema, key));
		return known.get(schema);
	};
	return { kind: 'object', name, field };
}

/** The definition it refers to, if it does; an allOf does nothing else. */
function refOf({ $ref, allOf = [] }: Schema): string | undefined {
	if ($ref !== undefined) return $ref.slice(REF.length);
	return allOf.map(refOf).find((ref) => ref !== undefined);
}

function textType(format: string | undefined): Type {
	switch (format) {
		case 'byte':
			return BYTES;
		case 'duration':
			return DURATION;
		case 'date':
			return DATE;
		case 'date-time':
			return TIMESTAMP;
		default:
			return STRING;
	}
}
