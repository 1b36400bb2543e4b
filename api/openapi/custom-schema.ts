/** The schema of a custom resource as OpenAPI publishes it (apiextensions openapi builder): version 3 whole, version 2 without what it cannot say. Pure. */
import { additionalOf, propertyOf, type Schema } from '../structural/schema.ts';
import { typeNamed } from '../schema.ts';
import type { Describe, Flavour, Json, Schemas } from './schemas.ts';

/** Whose fields describe apiVersion and kind of every resource. */
const ANY_KIND = 'core/v1.Pod';

/** What upstream says of fields that are no other kind's: those of any resource, of its list, and of a resource within another. */
const CONVENTIONS = 'More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';
const OBJECT_METADATA = `Standard object's metadata. ${CONVENTIONS}#metadata`;
const LIST_METADATA = `Standard list metadata. ${CONVENTIONS}#types-kinds`;
const EMBEDDED = {
	apiVersion: `apiVersion defines the versioned schema of this representation of an object. ${CONVENTIONS}#resources`,
	kind: `kind is a string value representing the type of this object. In CamelCase. ${CONVENTIONS}#types-kinds`,
} as const;

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
	const drops = flavour === 'v2' ? droppedByV2(schema, isRoot) : NOTHING;
	for (const [key, value] of Object.entries(schema) as [string, unknown][]) {
		if (drops.has(key) || value === undefined || value === null) continue;
		out[key] = child(context, schema, key, value);
	}
	if (flavour === 'v2' && !drops.has('properties') && Array.isArray(out['required'])) {
		// What may be null may be left out by clients of version 2, which knows no null.
		const wanted = (out['required'] as string[]).filter((name) => propertyOf(schema, name)?.nullable !== true);
		if (wanted.length === 0) delete out['required'];
		else out['required'] = wanted;
	}
	if (flavour === 'v3' && schema['x-kubernetes-int-or-string'] === true && schema.anyOf === undefined && schema.allOf === undefined)
		out['anyOf'] = [{ type: 'integer' }, { type: 'string' }];
	if (flavour === 'v2' && !isRoot && keepsUnknown(schema)) return out;
	const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
	if (isRoot || isEmbedded) {
		const own = resourceFields(context);
		const fields = isRoot ? own : { ...own, ...embeddedFields() };
		out['properties'] = { ...(out['properties'] as Json | undefined), ...fields };
	}
	if (isEmbedded) out['required'] = [...new Set([...(schema.required ?? []), 'kind', 'apiVersion'])];
	return out;
}

const NOTHING: ReadonlySet<string> = new Set();

/** Clients of version 2 cannot cope with fields of what may be null or keeps unknown ones, nor with a list of nothing known (upstream's ToStructuralOpenAPIV2). */
function droppedByV2(schema: Schema, isRoot: boolean): ReadonlySet<string> {
	const { type, items, nullable = false } = schema;
	const keeps = !isRoot && keepsUnknown(schema);
	const dropped = new Set(ONLY_V3);
	if (nullable || keeps) for (const key of ['properties', 'items']) dropped.add(key);
	if (nullable || (keeps && type === 'object') || (type === 'array' && (keeps || items === undefined))) dropped.add('type');
	if (additionalOf(schema)?.nullable === true) dropped.add('required');
	return dropped;
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
		default:
			return value;
	}
}

function resourceFields({ flavour, schemas, describe }: Context): Json {
	const said = (field: string): Json => {
		const description = describe(ANY_KIND, field);
		return description === undefined ? {} : { description };
	};
	return {
		apiVersion: { ...said('apiVersion'), type: 'string' },
		kind: { ...said('kind'), type: 'string' },
		metadata: described(OBJECT_METADATA, schemas.ref(typeNamed('meta/v1.ObjectMeta')), flavour),
	};
}

function embeddedFields(): Json {
	return {
		apiVersion: { description: EMBEDDED.apiVersion, type: 'string' },
		kind: { description: EMBEDDED.kind, type: 'string' },
	};
}

/** A reference with words of its own, which version 3 has no place for beside it. */
function described(description: string, ref: Json, flavour: Flavour): Json {
	return { description, ...(flavour === 'v2' ? ref : { allOf: [ref] }) };
}

/** The schema of the kind's list. */
export function customListSchema(
	kind: { readonly kind: string; readonly listKind: string; readonly plural: string; readonly item: Json; readonly gvk: Json },
	flavour: Flavour,
	schemas: Schemas,
	describe: Describe,
): Json {
	const fields = resourceFields({ flavour, schemas, describe });
	return {
		description: `${kind.listKind} is a list of ${kind.kind}`,
		type: 'object',
		required: ['items'],
		properties: {
			apiVersion: fields['apiVersion'],
			items: {
				description: `List of ${kind.plural}. ${CONVENTIONS}`,
				type: 'array',
				items: kind.item,
			},
			kind: fields['kind'],
			metadata: described(LIST_METADATA, schemas.ref(typeNamed('meta/v1.ListMeta')), flavour),
		},
		'x-kubernetes-group-version-kind': [kind.gvk],
	};
}
