/** Shapes of built-in kinds, made from the compiled contract: list and map markers, and what an empty object prints. */
import { freeze } from '../../base/freeze.ts';
import { schemaOfKind, type FieldSchema, type Scalar, type StructType, type TypeSchema } from '../schema.ts';
import { UNTYPED, type Fields, type FieldsShape, type ObjectShape, type ScalarShape, type Shape } from './shape.ts';

const kinds = new Map<string, ObjectShape>();
const shapes = new Map<string, Shape>();

/** Undefined for a kind that is not built in. */
export function objectShape(group: string, version: string, kind: string): ObjectShape | undefined {
	const key = `${group}/${version}/${kind}`;
	let made = kinds.get(key);
	if (made === undefined) {
		const type = schemaOfKind(group, version, kind);
		if (type === undefined) return undefined;
		const empty = freeze(emptyStruct(type));
		made = {
			shape: shapeOf(type),
			empty: () => empty,
			isLoose: mayLackKeys(type, new Set()),
			hasVersion: (apiVersion) => isIn(apiVersion, group, kind),
		};
		kinds.set(key, made);
	}
	return made;
}

/** Versions that were served once: objects that are old have managers in them, and upstream can still convert to them. */
const BEFORE_RELEASE = /^v\d+(?:alpha|beta)\d+$/;
/** Where kinds of several groups were at first. */
const FIRST_GROUP = 'extensions';

function isIn(apiVersion: string, ownGroup: string, kind: string): boolean {
	const slash = apiVersion.indexOf('/');
	const [group, version] = [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
	if (schemaOfKind(group, version, kind) !== undefined) return true;
	return ownGroup !== '' && (group === ownGroup || group === FIRST_GROUP) && BEFORE_RELEASE.test(version);
}

/** Whether items of a keyed list in it may be without any of their keys, and then cannot be told apart. */
function mayLackKeys(type: TypeSchema, seen: Set<TypeSchema>): boolean {
	if (type.form !== 'struct' || seen.has(type)) return false;
	seen.add(type);
	return [...type.fields.values()].some((field) => {
		const shape = shapeOfField(field);
		if (shape.type === 'list' && shape.how === 'map' && shape.keys.every((key) => !('default' in key))) return true;
		return mayLackKeys(field.type, seen);
	});
}

const SCALARS: Readonly<Record<Scalar, ScalarShape['scalar']>> = {
	string: 'string',
	bytes: 'string',
	bool: 'boolean',
	int32: 'number',
	int64: 'number',
	float64: 'number',
	any: 'any',
};
const TEXT: Shape = { type: 'scalar', scalar: 'string' };
const ANY: Shape = { type: 'scalar', scalar: 'any' };

/** Types with a JSON form of their own; the others are untyped. */
const ENCODED: Readonly<Record<string, Shape>> = {
	// A text of a format takes any scalar.
	time: ANY,
	microTime: ANY,
	duration: TEXT,
	quantity: ANY,
	// A number or a text has no type of its own, and takes anything.
	intOrString: UNTYPED,
	rawExtension: { type: 'map', atomic: true, values: UNTYPED, isRaw: true },
	items: { type: 'list', how: 'atomic', keys: [], items: TEXT },
};

/** An absent key that JSON always has counts as its zero value; so does the one that upstream's types say so of. */
const ZERO_KEY: Readonly<Record<string, unknown>> = { string: '', bool: false, int32: 0, int64: 0 };

function shapeOf(type: TypeSchema): Shape {
	let made = shapes.get(type.name);
	if (made === undefined) {
		made = makeShape(type);
		shapes.set(type.name, made);
	}
	return made;
}

function makeShape(type: TypeSchema): Shape {
	if (type.form === 'scalar') return { type: 'scalar', scalar: SCALARS[type.scalar] };
	if (type.form === 'encoded') return ENCODED[type.encoding] ?? UNTYPED;
	const fields = new Map<string, Shape>();
	const field = (name: string): Shape | undefined => {
		const declared = type.fields.get(name);
		if (declared === undefined) return undefined;
		let shape = fields.get(name);
		if (shape === undefined) {
			shape = shapeOfField(declared);
			fields.set(name, shape);
		}
		return shape;
	};
	const made: FieldsShape = { type: 'fields', atomic: type.mapType === 'atomic', field };
	return made;
}

function shapeOfField(field: FieldSchema): Shape {
	const inner = shapeOf(field.type);
	if (field.shape === 'map') return { type: 'map', atomic: field.mapType === 'atomic', values: inner };
	if (field.shape === 'single')
		return field.mapType !== undefined && (inner.type === 'fields' || inner.type === 'map')
			? { ...inner, atomic: field.mapType === 'atomic' }
			: inner;
	const how = field.listType ?? 'atomic';
	const keys = field.listMapKeys.map((name) => {
		const fallback = field.type.name === 'core/v1.LocalObjectReference' ? '' : keyDefault(field.type, name);
		return fallback === undefined ? { name } : { name, default: fallback };
	});
	return { type: 'list', how, keys, items: inner };
}

function keyDefault(item: TypeSchema, name: string): unknown {
	const field = item.form === 'struct' ? item.fields.get(name) : undefined;
	if (field === undefined) return undefined;
	if (field.default !== undefined) return field.default;
	return field.pointer || field.omitempty || field.type.form !== 'scalar' ? undefined : ZERO_KEY[field.type.scalar];
}

/** Non-pointer structs are always printed; so are lists, maps and scalars without omitempty. */
function emptyStruct(type: StructType): Fields {
	const out: Fields = {};
	for (const [name, field] of type.fields) {
		const { type: of } = field;
		if (field.pointer || field.shape !== 'single') {
			if (!field.omitempty) out[name] = null;
		} else if (of.form === 'struct') {
			if (!field.omitzero) out[name] = emptyStruct(of);
		} else if (of.form === 'scalar') {
			if (!field.omitempty) out[name] = ZERO[of.scalar];
		} else if (!field.omitzero && (!field.omitempty || STRUCT_LIKE.has(of.encoding))) out[name] = ZERO_ENCODED[of.encoding] ?? null;
	}
	return out;
}

const ZERO: Readonly<Record<Scalar, unknown>> = { string: '', bool: false, int32: 0, int64: 0, float64: 0, bytes: null, any: null };
const ZERO_ENCODED: Readonly<Record<string, unknown>> = { quantity: '0', duration: '0s', intOrString: 0 };
/** Go prints these even with omitempty, because they are structs. */
const STRUCT_LIKE = new Set<string>(['time', 'microTime', 'quantity', 'intOrString', 'duration', 'rawExtension']);
