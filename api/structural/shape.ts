/** A schema as server-side apply and field ownership see it. */
import { UNTYPED, type ListKey, type ObjectShape, type Shape } from '../apply/shape.ts';
import { objectShape } from '../apply/kind-shape.ts';
import { additionalOf, propertyOf, type Schema } from './schema.ts';

const TEXT: Shape = { type: 'scalar', scalar: 'string' };
const ANY: Shape = { type: 'scalar', scalar: 'any' };
const SCALARS: Readonly<Record<string, Shape>> = {
	string: TEXT,
	boolean: { type: 'scalar', scalar: 'boolean' },
	integer: { type: 'scalar', scalar: 'number' },
	number: { type: 'scalar', scalar: 'number' },
};

/** The shape of a whole resource; metadata is that of every kind. */
export function resourceShape(schema: Schema): ObjectShape {
	return { shape: fieldsOf(schema, true, keepsIn(schema, false)), empty: () => ({}), isLoose: true };
}

/** Whether unknown fields are kept in the schema or around it: what is pruned all the same is no mistake there (kube-openapi schemaconv). */
type Keeps = boolean;

const keepsIn = (schema: Schema, around: Keeps): Keeps => around || schema['x-kubernetes-preserve-unknown-fields'] === true;

const known = { around: new WeakMap<Schema, Shape>(), nowhere: new WeakMap<Schema, Shape>() };

function shapeOf(schema: Schema | undefined, around: Keeps): Shape {
	if (schema === undefined) return UNTYPED;
	const made = around ? known.around : known.nowhere;
	let shape = made.get(schema);
	if (shape === undefined) {
		shape = makeShape(schema, keepsIn(schema, around));
		made.set(schema, shape);
	}
	return shape;
}

/** A number or a text has no type here, and takes anything. */
function makeShape(schema: Schema, keeps: Keeps): Shape {
	if (schema['x-kubernetes-int-or-string'] === true) return UNTYPED;
	if (schema.type === 'array') return listOf(schema, keeps);
	if (schema.type === 'object') return fieldsOf(schema, schema['x-kubernetes-embedded-resource'] === true, keeps);
	// Any other format makes a text any scalar.
	if (schema.type === 'string' && !['', 'byte'].includes(schema.format ?? '')) return ANY;
	return SCALARS[schema.type ?? ''] ?? UNTYPED;
}

function listOf(schema: Schema, keeps: Keeps): Shape {
	const type = schema['x-kubernetes-list-type'];
	const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((name): ListKey => {
		const fallback = propertyOf(schema.items, name)?.default;
		return fallback === undefined ? { name } : { name, default: fallback };
	});
	return { type: 'list', how: type === 'map' || type === 'set' ? type : 'atomic', keys, items: shapeOf(schema.items, keeps) };
}

function fieldsOf(schema: Schema, isResource: boolean, keeps: Keeps): Shape {
	const atomic = schema['x-kubernetes-map-type'] === 'atomic';
	const additional = additionalOf(schema);
	if (additional !== undefined) return { type: 'map', atomic, values: shapeOf(additional, keeps) };
	const isFree = schema.additionalProperties !== false && Object.keys(schema.properties ?? {}).length === 0;
	if (!isResource && isFree) return { type: 'map', atomic, values: UNTYPED };
	return {
		type: 'fields',
		atomic,
		field: (name) => {
			if (isResource) {
				if (name === 'apiVersion' || name === 'kind') return TEXT;
				if (name === 'metadata') return metadataShape();
			}
			const property = propertyOf(schema, name);
			return property === undefined ? undefined : shapeOf(property, keeps);
		},
		others: keeps ? UNTYPED : undefined,
	};
}

/** Every kind's metadata is the same; a pod's serves as well as any. */
function metadataShape(): Shape | undefined {
	const shape = objectShape('', 'v1', 'Pod')?.shape;
	return shape?.type === 'fields' ? shape.field('metadata') : undefined;
}
