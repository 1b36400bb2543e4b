/**
 * The compiled contract: every type of the API as a table that codec, defaults, patches, validation, OpenAPI and server-side apply read.
 * The facts are in `contract/types.json`, one type a line; a type is compiled when it is first asked for.
 */
import contract from './contract/types.json' with { type: 'json' };

export type Scalar = 'string' | 'bool' | 'int32' | 'int64' | 'float64' | 'bytes' | 'any';

/** Types with a JSON form of their own (contract FORMAT: `encoding`). */
export type Encoding =
	| 'time'
	| 'microTime'
	| 'duration'
	| 'quantity'
	| 'intOrString'
	| 'rawExtension'
	| 'fieldsV1'
	| 'json'
	| 'items'
	| 'groupVersion'
	| 'schemaOrBool'
	| 'schemaOrArray'
	| 'schemaOrStringArray'
	| 'unknown';

export type TypeSchema = ScalarType | EncodedType | StructType;

export interface ScalarType {
	readonly form: 'scalar';
	readonly name: string;
	readonly scalar: Scalar;
	/** The closed set of values, where there is one. */
	readonly enum: readonly string[] | undefined;
}

export interface EncodedType {
	readonly form: 'encoded';
	readonly name: string;
	readonly encoding: Encoding;
	readonly wireFields: ReadonlyMap<string, WireField>;
}

export interface WireField {
	readonly number: number;
	readonly wire: Wire;
	readonly type: TypeSchema;
}

export interface StructType {
	readonly form: 'struct';
	readonly name: string;
	readonly gvk: readonly (readonly [group: string, version: string, kind: string])[];
	/** JSON fields, inline structs flattened, in Go's order of keys. */
	readonly fields: ReadonlyMap<string, FieldSchema>;
	/** Fields and inline messages as they are on the wire, by ascending number. */
	readonly wire: readonly WireEntry[];
	/** Fields of embedded structs: the Go names of the structs on the way to them. */
	readonly embedded: ReadonlyMap<string, readonly string[]>;
	readonly required: ReadonlySet<string>;
	/** 'atomic' where apply owns the struct as a whole. */
	readonly mapType: string | undefined;
	/** Unions of the contract: discriminated alternatives. */
	readonly unions: unknown;
}

export type Wire = 'varint' | 'bytes' | 'fixed64';

export type WireEntry =
	| { readonly number: number; readonly field: FieldSchema }
	| { readonly number: number; readonly inline: StructType; readonly pointer: boolean };

export interface FieldSchema {
	readonly name: string;
	/** Undefined where the field is not on the wire. */
	readonly number: number | undefined;
	readonly wire: Wire;
	readonly protoName: string;
	readonly shape: 'single' | 'list' | 'map';
	/** Of the value, the list's elements, or the map's values. Lazy: types are recursive. */
	readonly type: TypeSchema;
	readonly pointer: boolean;
	readonly omitempty: boolean;
	readonly omitzero: boolean;
	readonly required: boolean;
	readonly patchStrategy: readonly string[];
	readonly patchMergeKey: string | undefined;
	readonly listType: 'atomic' | 'set' | 'map' | undefined;
	readonly listMapKeys: readonly string[];
	readonly mapType: string | undefined;
	/** OpenAPI's default. */
	readonly default: unknown;
	/** The default that the API server sets wherever the field is absent in a present struct; undefined for none. */
	readonly defaulted: unknown;
}

interface RawField {
	readonly number?: number;
	readonly wire?: Wire;
	readonly type: string;
	readonly list?: boolean;
	readonly map?: boolean;
	readonly pointer?: boolean;
	readonly omitempty?: boolean;
	readonly omitzero?: boolean;
	readonly inline?: boolean;
	readonly proto?: string;
	readonly patchStrategy?: string;
	readonly patchMergeKey?: string;
	readonly listType?: string;
	readonly listMapKeys?: readonly string[];
	readonly mapType?: string;
	readonly default?: unknown;
	readonly defaulted?: unknown;
}

interface RawType {
	readonly fields?: Readonly<Record<string, RawField>>;
	readonly scalar?: Scalar;
	readonly enum?: readonly string[];
	readonly encoding?: Encoding;
	readonly wireFields?: Readonly<Record<string, { readonly number: number; readonly wire: Wire; readonly type: string }>>;
	readonly gvk?: readonly (readonly [string, string, string])[];
	readonly required?: readonly string[];
	readonly order?: readonly string[];
	readonly mapType?: string;
	readonly unions?: unknown;
}

const RAW = contract as unknown as Readonly<Record<string, RawType>>;
const SCALARS = new Set<string>(['string', 'bool', 'int32', 'int64', 'float64', 'bytes', 'any']);
const compiled = new Map<string, TypeSchema>();
let byKind: ReadonlyMap<string, string> | undefined;
let lastKind: { readonly asked: readonly [group: string, version: string, kind: string]; readonly type: StructType | undefined } = {
	asked: ['', '', ''],
	type: undefined,
};

/** The type of a kind; undefined when it is no built-in one. */
export function schemaOfKind(group: string, version: string, kind: string): StructType | undefined {
	byKind ??= new Map(
		Object.entries(RAW).flatMap(([name, raw]) => (raw.gvk ?? []).map(([g, v, k]): [string, string] => [`${g}/${v}/${k}`, name])),
	);
	// One request asks for its kind many times.
	const { asked, type } = lastKind;
	if (asked[2] === kind && asked[0] === group && asked[1] === version) return type;
	const name = byKind.get(`${group}/${version}/${kind}`);
	const found = name === undefined ? undefined : (typeNamed(name) as StructType);
	lastKind = { asked: [group, version, kind], type: found };
	return found;
}

/** The type of that contract name, such as "core/v1.Pod"; throws for an unknown one. */
export function typeNamed(name: string): TypeSchema {
	let type = compiled.get(name);
	if (type === undefined) {
		type = compile(name);
		compiled.set(name, type);
	}
	return type;
}

function compile(name: string): TypeSchema {
	if (SCALARS.has(name)) return { form: 'scalar', name, scalar: name as Scalar, enum: undefined };
	const raw = RAW[name];
	if (raw === undefined) throw new TypeError(`The contract has no type "${name}"`);
	if (raw.encoding !== undefined) {
		const wireFields = Object.entries(raw.wireFields ?? {}).map(([key, f]): [string, WireField] => [
			key,
			lazyType({ number: f.number, wire: f.wire }, f.type),
		]);
		return { form: 'encoded', name, encoding: raw.encoding, wireFields: new Map(wireFields) };
	}
	if (raw.scalar !== undefined) return { form: 'scalar', name, scalar: raw.scalar, enum: raw.enum };
	return compileStruct(name, raw);
}

function compileStruct(name: string, raw: RawType): StructType {
	const required = new Set(raw.required);
	const fields = new Map<string, FieldSchema>();
	const wire: WireEntry[] = [];
	const embedded = new Map<string, readonly string[]>();
	const own = raw.fields ?? {};
	for (const key of goOrder(raw)) {
		const f = own[key];
		if (f === undefined) continue;
		if (f.inline !== true) {
			const field = compileField(key, f, required.has(key));
			fields.set(key, field);
			if (f.number !== undefined) wire.push({ number: f.number, field });
			continue;
		}
		const inner = typeNamed(f.type);
		if (inner.form !== 'struct') continue;
		const goName = inner.name.slice(inner.name.lastIndexOf('.') + 1);
		for (const [innerKey, field] of inner.fields) {
			if (own[innerKey] !== undefined || fields.has(innerKey)) continue;
			fields.set(innerKey, field);
			embedded.set(innerKey, [goName, ...(inner.embedded.get(innerKey) ?? [])]);
		}
		if (f.number !== undefined) wire.push({ number: f.number, inline: inner, pointer: f.pointer === true });
	}
	wire.sort((a, b) => a.number - b.number);
	return { form: 'struct', name, gvk: raw.gvk ?? [], fields, wire, embedded, required, mapType: raw.mapType, unions: raw.unions };
}

/** The order of keys in Go's struct: the contract's own where it says one, else by wire number; inline fields that are not on the wire come first. */
function goOrder(raw: RawType): readonly string[] {
	if (raw.order !== undefined) return raw.order;
	return Object.entries(raw.fields ?? {})
		.toSorted(([, a], [, b]) => (a.number ?? 0) - (b.number ?? 0))
		.map(([key]) => key);
}

function compileField(name: string, f: RawField, required: boolean): FieldSchema {
	// A named list or map (alias of fields) is a list or map of its element type.
	return lazyType(
		{
			name,
			number: f.number,
			wire: f.wire ?? 'bytes',
			protoName: f.proto ?? name,
			shape: f.list === true ? ('list' as const) : f.map === true ? ('map' as const) : ('single' as const),
			pointer: f.pointer === true,
			omitempty: f.omitempty === true,
			omitzero: f.omitzero === true,
			required,
			patchStrategy: f.patchStrategy?.split(',') ?? [],
			patchMergeKey: f.patchMergeKey,
			listType: f.listType as FieldSchema['listType'],
			listMapKeys: f.listMapKeys ?? [],
			mapType: f.mapType,
			default: f.default,
			defaulted: f.defaulted,
		},
		f.type,
	);
}

/** Adds a `type` that is compiled on first use. */
function lazyType<T extends object>(target: T, name: string): T & { readonly type: TypeSchema } {
	let type: TypeSchema | undefined;
	return Object.defineProperty(target, 'type', { enumerable: true, get: () => (type ??= typeNamed(name)) }) as T & {
		readonly type: TypeSchema;
	};
}
