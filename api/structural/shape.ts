/** A schema as server-side apply and field ownership see it. */
import { UNTYPED, type ListKey, type ObjectShape, type Shape } from '../apply/shape.ts';
import { objectShape } from '../apply/kind-shape.ts';
import { additionalOf, propertyOf, type Schema } from './schema.ts';

const known = new WeakMap<Schema, Shape>();
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
	return { shape: fieldsOf(schema, true), empty: () => ({}) };
}

function shapeOf(schema: Schema | undefined): Shape {
	if (schema === undefined) return UNTYPED;
	let shape = known.get(schema);
	if (shape === undefined) {
		shape = makeShape(schema);
		known.set(schema, shape);
	}
	return shape;
}

function makeShape(schema: Schema): Shape {
	if (schema['x-kubernetes-int-or-string'] === true) return ANY;
	if (schema.type === 'array') return listOf(schema);
	if (schema.type === 'object') return fieldsOf(schema, schema['x-kubernetes-embedded-resource'] === true);
	return SCALARS[schema.type ?? ''] ?? UNTYPED;
}

function listOf(schema: Schema): Shape {
	const type = schema['x-kubernetes-list-type'];
	const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((name): ListKey => {
		const fallback = propertyOf(schema.items, name)?.default;
		return fallback === undefined ? { name } : { name, default: fallback };
	});
	return { type: 'list', how: type === 'map' || type === 'set' ? type : 'atomic', keys, items: shapeOf(schema.items) };
}

function fieldsOf(schema: Schema, isResource: boolean): Shape {
	const atomic = schema['x-kubernetes-map-type'] === 'atomic';
	const additional = additionalOf(schema);
	if (additional !== undefined) return { type: 'map', atomic, values: shapeOf(additional) };
	const keeps = schema['x-kubernetes-preserve-unknown-fields'] === true;
	if (!isResource && schema.properties === undefined && (keeps || schema.additionalProperties === true))
		return { type: 'map', atomic, values: UNTYPED };
	return {
		type: 'fields',
		atomic,
		field: (name) => {
			if (isResource) {
				if (name === 'apiVersion' || name === 'kind') return TEXT;
				if (name === 'metadata') return metadataShape();
			}
			const property = propertyOf(schema, name);
			return property === undefined ? undefined : shapeOf(property);
		},
		others: keeps ? UNTYPED : undefined,
	};
}

/** Every kind's metadata is the same; a pod's serves as well as any. */
function metadataShape(): Shape | undefined {
	const shape = objectShape('', 'v1', 'Pod')?.shape;
	return shape?.type === 'fields' ? shape.field('metadata') : undefined;
}
