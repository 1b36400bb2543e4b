/**
 * The shape of a value as server-side apply sees it: what is one field, what is a list with keys, what is owned only as a whole.
 * Built from the contract's tables for built-in kinds and from the schema of a CustomResourceDefinition for custom ones.
 */
export type Shape = ScalarShape | FieldsShape | MapShape | ListShape | UntypedShape;

export interface ScalarShape {
	readonly type: 'scalar';
	/** 'any' takes every scalar (quantities, int-or-string). */
	readonly scalar: 'string' | 'number' | 'boolean' | 'any';
}

/** A struct. */
export interface FieldsShape {
	readonly type: 'fields';
	/** Owned as a whole. */
	readonly atomic: boolean;
	/** Undefined: not declared. */
	readonly field: (name: string) => Shape | undefined;
	/** Shape of undeclared fields where they are kept; undefined refuses them. */
	readonly others?: Shape | undefined;
}

/** Free keys, all values alike. */
export interface MapShape {
	readonly type: 'map';
	readonly atomic: boolean;
	readonly values: Shape;
	/** What is no map fits, too: validation is to say what it thinks of it. */
	readonly isRaw?: boolean;
}

export interface ListShape {
	readonly type: 'list';
	/** 'map': items are told apart by their keys; 'set': by their value; 'atomic': owned as a whole. */
	readonly how: 'atomic' | 'set' | 'map';
	readonly keys: readonly ListKey[];
	readonly items: Shape;
}

export interface ListKey {
	readonly name: string;
	/** Stands in where an item lacks the key. */
	readonly default?: unknown;
}

/** Nothing is known: maps are taken field by field, lists as a whole. */
export interface UntypedShape {
	readonly type: 'untyped';
}

/** What a kind needs for tracking its fields. */
export interface ObjectShape {
	readonly shape: Shape;
	/** The JSON of an empty object of this kind: fields that are always written, such as `spec: {}`. */
	readonly empty: () => Fields;
	/** Set where objects may have values that do not fit the shape. */
	readonly isLoose?: boolean;
	/** Whether the kind is in this version, too; absent where nothing is known of other versions. */
	readonly hasVersion?: (apiVersion: string) => boolean;
}

export type Fields = Record<string, unknown>;

export const UNTYPED: UntypedShape = { type: 'untyped' };
const ANY: ScalarShape = { type: 'scalar', scalar: 'any' };
const UNTYPED_MAP: MapShape = { type: 'map', atomic: false, values: UNTYPED };
const UNTYPED_LIST: ListShape = { type: 'list', how: 'atomic', keys: [], items: UNTYPED };

/** The shape to use for this value: an untyped one is deduced from it. */
export function deduce(shape: Shape, value: unknown): Exclude<Shape, UntypedShape> {
	if (shape.type !== 'untyped') return shape;
	if (Array.isArray(value)) return UNTYPED_LIST;
	// Null may be anything: upstream looks for a map first.
	return isFields(value) || value === null ? UNTYPED_MAP : ANY;
}

export function isFields(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The shape of one key of a struct or map; untyped where nothing is declared. */
export function childShape(shape: FieldsShape | MapShape, name: string): Shape {
	return shape.type === 'map' ? shape.values : (shape.field(name) ?? shape.others ?? UNTYPED);
}

export function isDeclared(shape: Shape, name: string): boolean {
	return shape.type === 'fields' && shape.field(name) !== undefined;
}

/** Null, an empty list or an empty map: such a value is a leaf even where its shape has children. */
export function isEmpty(value: unknown): boolean {
	if (value === undefined || value === null) return true;
	if (Array.isArray(value)) return value.length === 0;
	return isFields(value) && Object.keys(value).length === 0;
}
