/** Shapes of built-in kinds, compiled lazily from the contract's tables: list and map markers, inline structs, and what an empty object prints. */
import { UNTYPED, type Fields, type FieldsShape, type ObjectShape, type ScalarShape, type Shape } from './shape.ts';

/** The part of a contract field that matters here (the names are the contract's). */
export interface ContractField {
	readonly type: string;
	readonly list?: boolean | undefined;
	readonly map?: boolean | undefined;
	readonly inline?: boolean | undefined;
	readonly pointer?: boolean | undefined;
	readonly omitempty?: boolean | undefined;
	readonly omitzero?: boolean | undefined;
	readonly listType?: string | undefined;
	readonly listMapKeys?: readonly string[] | undefined;
	readonly mapType?: string | undefined;
	readonly default?: unknown;
}

export interface ContractType {
	readonly fields?: Readonly<Record<string, ContractField>> | undefined;
	readonly scalar?: string | undefined;
	readonly enum?: readonly string[] | undefined;
	readonly values?: readonly unknown[] | undefined;
	readonly encoding?: string | undefined;
	readonly list?: boolean | undefined;
	readonly map?: boolean | undefined;
	readonly type?: string | undefined;
	readonly mapType?: string | undefined;
}

export type TypeLookup = (name: string) => ContractType | undefined;

const SCALARS: Readonly<Record<string, ScalarShape['scalar']>> = {
	string: 'string',
	bytes: 'string',
	bool: 'boolean',
	int32: 'number',
	int64: 'number',
	float64: 'number',
};

/** Types with a JSON form of their own. */
const ENCODED: Readonly<Record<string, Shape>> = {
	time: { type: 'scalar', scalar: 'string' },
	microTime: { type: 'scalar', scalar: 'string' },
	duration: { type: 'scalar', scalar: 'string' },
	quantity: { type: 'scalar', scalar: 'any' },
	intOrString: { type: 'scalar', scalar: 'any' },
	items: { type: 'list', how: 'atomic', keys: [], items: { type: 'scalar', scalar: 'string' } },
};

const TYPE_META: ContractField = { type: 'string', omitempty: true };

export class ContractShapes {
	readonly #lookup: TypeLookup;
	readonly #shapes = new Map<string, Shape>();

	constructor(lookup: TypeLookup) {
		this.#lookup = lookup;
	}

	/** Of a kind, by the name of its type. */
	object(type: string): ObjectShape {
		return { shape: this.#ofType(type), empty: () => this.#empty(type) };
	}

	/** All fields of a struct, those of inline structs among them. */
	#fieldsOf(type: string): Map<string, ContractField> {
		const out = new Map<string, ContractField>();
		for (const [name, field] of Object.entries(this.#lookup(type)?.fields ?? {})) {
			if (field.inline !== true) out.set(name, field);
			else if (field.type.endsWith('.TypeMeta')) for (const meta of ['apiVersion', 'kind']) out.set(meta, TYPE_META);
			else for (const [inner, value] of this.#fieldsOf(field.type)) out.set(inner, value);
		}
		return out;
	}

	#ofType(type: string): Shape {
		const known = this.#shapes.get(type);
		if (known !== undefined) return known;
		const made = this.#make(type);
		this.#shapes.set(type, made);
		return made;
	}

	#make(name: string): Shape {
		const scalar = SCALARS[name];
		if (scalar !== undefined) return { type: 'scalar', scalar };
		const type = this.#lookup(name);
		if (type === undefined) return UNTYPED;
		if (type.encoding !== undefined) return ENCODED[type.encoding] ?? UNTYPED;
		if (type.list === true) return { type: 'list', how: 'atomic', keys: [], items: this.#ofType(type.type ?? '') };
		if (type.map === true) return { type: 'map', atomic: type.mapType === 'atomic', values: this.#ofType(type.type ?? '') };
		if (type.fields === undefined)
			return { type: 'scalar', scalar: type.scalar === 'int64' || type.scalar === 'int32' ? 'number' : 'string' };
		return this.#struct(name, type.mapType === 'atomic');
	}

	#struct(name: string, atomic: boolean): FieldsShape {
		let fields: Map<string, ContractField> | undefined;
		const shapes = new Map<string, Shape | undefined>();
		const field = (key: string): Shape | undefined => {
			if (!shapes.has(key)) {
				fields ??= this.#fieldsOf(name);
				const declared = fields.get(key);
				shapes.set(key, declared === undefined ? undefined : this.#ofField(declared));
			}
			return shapes.get(key);
		};
		return { type: 'fields', atomic, field };
	}

	#ofField(field: ContractField): Shape {
		const inner = this.#ofType(field.type);
		if (field.list === true) {
			const how = field.listType === 'map' || field.listType === 'set' ? field.listType : 'atomic';
			const items = how === 'map' ? this.#fieldsOf(field.type) : undefined;
			const keys = (field.listMapKeys ?? []).map((name) => {
				const fallback = items?.get(name)?.default;
				return fallback === undefined ? { name } : { name, default: fallback };
			});
			return { type: 'list', how, keys, items: inner };
		}
		if (field.map === true) return { type: 'map', atomic: field.mapType === 'atomic', values: inner };
		if (field.mapType === 'atomic' && (inner.type === 'fields' || inner.type === 'map')) return { ...inner, atomic: true };
		return inner;
	}

	/** Non-pointer structs are always printed; so are lists, maps and scalars without omitempty. */
	#empty(type: string): Fields {
		const out: Fields = {};
		for (const [name, field] of this.#fieldsOf(type)) {
			if (field.pointer === true) {
				if (field.omitempty !== true) out[name] = null;
				continue;
			}
			const inner = this.#lookup(field.type);
			if (field.list === true || field.map === true || inner?.list === true || inner?.map === true) {
				if (field.omitempty !== true) out[name] = null;
			} else if (inner?.fields !== undefined) {
				if (field.omitzero !== true) out[name] = this.#empty(field.type);
			} else if (inner?.encoding !== undefined) {
				if (field.omitzero !== true && (field.omitempty !== true || isStruct(inner.encoding))) out[name] = ZERO[inner.encoding] ?? null;
			} else if (field.omitempty !== true) out[name] = ZERO[inner?.scalar ?? field.type] ?? '';
		}
		return out;
	}
}

const ZERO: Readonly<Record<string, unknown>> = {
	string: '',
	bool: false,
	int32: 0,
	int64: 0,
	float64: 0,
	bytes: null,
	quantity: '0',
	duration: '0s',
	intOrString: 0,
};

function isStruct(encoding: string): boolean {
	return (
		encoding === 'time' || encoding === 'microTime' || encoding === 'quantity' || encoding === 'intOrString' || encoding === 'duration'
	);
}
