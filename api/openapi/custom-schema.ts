/** The schema of a custom resource as OpenAPI publishes it (apiextensions openapi builder): version 3 whole, version 2 without what it cannot say. Pure. */
import { additionalOf, type Schema } from '../structural/schema.ts';
import { typeNamed } from '../schema.ts';
import type { Describe, Flavour, Json, Schemas } from './schemas.ts';

/** Whose fields describe those that every resource has. */
const ANY_KIND = 'core/v1.Pod';

/** @param schema undefined: nothing is known of it */
export function customSchema(schema: Schema | undefined, gvk: Json, flavour: Flavour, schemas: Schemas, describe: Describe): Json {
	const context = { flavour, schemas, describe };
	const free = schema === undefined || (flavour === 'v2' && schema['x-kubernetes-preserve-unknown-fields'] === true);
	const made: Json = free ? { type: 'object' } : published(context, schema, true);
	return { ...made, 'x-kubernetes-group-version-kind': [gvk] };
}

interface Context {
	readonly flavour: Flavour;
	readonly schemas: Schemas;
	readonly describe: Describe;
}

/** Keys that version 2 does not know. */
const ONLY_V3 = new Set(['default', 'nullable', 'anyOf', 'allOf', 'oneOf', 'not']);

function published(context: Context, schema: Schema, isRoot: boolean): Json {
	const { flavour } = context;
	const out: Json = {};
	const forgets = flavour === 'v2' && (schema.nullable === true || (!isRoot && keepsUnknown(schema)));
	for (const [key, value] of Object.entries(schema) as [string, unknown][]) {
		if (flavour === 'v2' && ONLY_V3.has(key)) continue;
		if (forgets && ['type', 'properties', 'items', 'additionalProperties'].includes(key)) continue;
		if (value === undefined || value === null) continue;
		out[key] = child(context, schema, key, value);
	}
	if (flavour === 'v2' && Array.isArray(out['required']) && out['required'].length === 0) delete out['required'];
	if (flavour === 'v3' && schema['x-kubernetes-int-or-string'] === true && schema.anyOf === undefined && schema.allOf === undefined)
		out['anyOf'] = [{ type: 'integer' }, { type: 'string' }];
	if (forgets && !isRoot) return out;
	const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
	if (isRoot || isEmbedded) out['properties'] = { ...(out['properties'] as Json | undefined), ...resourceFields(context) };
	if (isEmbedded) out['required'] = [...new Set(['kind', 'apiVersion', ...(schema.required ?? [])])];
	return out;
}

function keepsUnknown(schema: Schema): boolean {
	return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

function child(context: Context, schema: Schema, key: string, value: unknown): unknown {
	switch (key) {
		case 'properties':
			return Object.fromEntries(
				Object.entries(value as Record<string, Schema>).map(([name, inner]) => [name, published(context, inner, false)]),
			);
		case 'items':
			return published(context, value as Schema, false);
		case 'additionalProperties':
			return additionalOf(schema) === undefined ? value : published(context, value as Schema, false);
		case 'required':
			// What may be null may be left out by clients of version 2, which knows no null.
			return context.flavour === 'v3' ? value : (value as string[]).filter((name) => schema.properties?.[name]?.nullable !== true);
		default:
			return value;
	}
}

function resourceFields({ flavour, schemas, describe }: Context): Json {
	const said = (field: string): Json => {
		const description = describe(ANY_KIND, field);
		return description === undefined ? {} : { description };
	};
	const ref = schemas.ref(typeNamed('meta/v1.ObjectMeta'));
	return {
		apiVersion: { ...said('apiVersion'), type: 'string' },
		kind: { ...said('kind'), type: 'string' },
		metadata: { ...said('metadata'), ...(flavour === 'v2' ? ref : { allOf: [ref] }) },
	};
}

/** The schema of the kind's list. */
export function customListSchema(
	kind: { readonly kind: string; readonly listKind: string; readonly plural: string; readonly item: Json; readonly gvk: Json },
	flavour: Flavour,
	schemas: Schemas,
	describe: Describe,
): Json {
	const fields = resourceFields({ flavour, schemas, describe });
	const ref = schemas.ref(typeNamed('meta/v1.ListMeta'));
	return {
		description: `${kind.listKind} is a list of ${kind.kind}`,
		type: 'object',
		required: ['items'],
		properties: {
			apiVersion: fields['apiVersion'],
			items: {
				description: `List of ${kind.plural}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md`,
				type: 'array',
				items: kind.item,
			},
			kind: fields['kind'],
			metadata: flavour === 'v2' ? ref : { allOf: [ref] },
		},
		'x-kubernetes-group-version-kind': [kind.gvk],
	};
}
