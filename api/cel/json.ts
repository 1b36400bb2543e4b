/** JSON as values of CEL, wrapped and not copied; the declared type says what a number or a text is. And values back as JSON. */
import { isInt64 } from '../go-float.ts';
import { goType } from '../go-values.ts';
import { isObject } from '../structural/schema.ts';
import { bytesOf, dateOf, durationOf, timeOf } from './libraries/schema-formats.ts';
import { formatTimestamp, formatDuration } from './libraries/time-text.ts';
import { EvalError, NO_OVERLOAD } from './errors.ts';
import { membershipOf } from './membership.ts';
import { DYN, type ListType, type Type } from './types.ts';
import { Duration, ListValue, MapValue, Optional, Timestamp, Uint, type Membership, type Value } from './values.ts';

type Json = Readonly<Record<string, unknown>>;

/** An absent type is dyn. EvalError in upstream's words where the value is not of the type. */
export function fromJson(json: unknown, type: Type = DYN): Value {
	if (json === null || json === undefined) return null;
	const misfit = misfitOf(json, type);
	if (misfit !== undefined) throw new EvalError(`invalid data, expected ${misfit}`);
	if (typeof json === 'boolean') return json;
	if (typeof json === 'bigint') return type.kind === 'double' ? Number(json) : json;
	if (typeof json === 'number') return numberOf(json, type);
	if (typeof json === 'string') return textOf(json, type);
	if (Array.isArray(json)) return new JsonList(json, type.kind === 'list' ? type : ANY_LIST);
	return new JsonMap(json as Json, type);
}

/** What an invalid value should have been: one that was let be, as it was there before its schema, or as its format is not looked at. */
function misfitOf(json: unknown, type: Type): string | undefined {
	const got = (what: string): string => `${what}, got ${goType(json)}`;
	switch (type.kind) {
		case 'string':
		case 'bytes':
		case 'duration':
		case 'timestamp':
			return typeof json === 'string' ? undefined : got('string');
		case 'double':
			return typeof json === 'number' || typeof json === 'bigint' ? undefined : got('float');
		case 'int':
			return isInteger(json) ? undefined : got('int');
		case 'bool':
			return typeof json === 'boolean' ? undefined : got('bool');
		case 'list':
			return Array.isArray(json) ? undefined : 'an array for the provided schema with type=array';
		case 'object':
		case 'map':
			return isObject(json) ? undefined : 'a map for the provided schema with type=object';
		case 'dyn':
			return !('format' in type) || typeof json === 'string' || isInteger(json)
				? undefined
				: 'XIntOrString value to be either a string or integer';
		default:
			return undefined;
	}
}

const isInteger = (json: unknown): boolean => (typeof json === 'number' || typeof json === 'bigint') && isInt64(json);

function numberOf(json: number, { kind }: Type): Value {
	if (kind === 'double' || !Number.isInteger(json)) return json;
	if (kind === 'uint') return new Uint(BigInt(json));
	return BigInt(json);
}

function textOf(text: string, type: Type): Value {
	switch (type.kind) {
		case 'bytes':
			return bytesOf(text);
		case 'duration':
			return durationOf(text);
		case 'timestamp':
			return 'format' in type ? dateOf(text) : timeOf(text);
		default:
			return text;
	}
}

const ANY_LIST: ListType = { kind: 'list', items: DYN };

/** Items of a list of a schema, compared as sets or by keys where the schema says so. */
export class JsonList extends ListValue {
	readonly items: readonly unknown[];
	override readonly membership: Membership | undefined;
	readonly #type: Type;
	constructor(items: readonly unknown[], { items: type, members }: ListType) {
		super();
		this.items = items;
		this.#type = type;
		this.membership = members === undefined ? undefined : membershipOf(members);
	}
	get size(): number {
		return this.items.length;
	}
	at(index: number): Value {
		return fromJson(this.items[index], this.#type);
	}
}

export class JsonMap extends MapValue {
	readonly json: Json;
	readonly #type: Type;
	constructor(json: Json, type: Type) {
		super();
		this.json = json;
		this.#type = type;
	}
	get size(): number {
		return Object.keys(this.json).length;
	}
	/** EvalError where the schema knows texts as keys alone. */
	get(key: Value): Value | undefined {
		const type = this.#type;
		if (typeof key !== 'string') {
			if (type.kind === 'dyn') return undefined;
			throw new EvalError(NO_OVERLOAD);
		}
		const name = type.kind === 'object' ? unescapedField(key) : key;
		if (!Object.hasOwn(this.json, name)) return undefined;
		// A field without a value is none.
		if (type.kind === 'object' && this.json[name] === null) return undefined;
		return fromJson(this.json[name], type.kind === 'object' ? (type.field(key) ?? DYN) : type.kind === 'map' ? type.value : DYN);
	}
	override isUndeclared(key: Value): boolean {
		const type = this.#type;
		if (type.kind !== 'object' || typeof key !== 'string') return false;
		return type.declares === undefined ? type.field(key) === undefined : !type.declares(unescapedField(key));
	}
	*keys(): Generator<Value> {
		for (const key of Object.keys(this.json)) yield key;
	}
}

/** CEL's reserved words, which fields escape as `__name__`. */
const KEYWORDS = new Set(
	'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

const ESCAPES: readonly (readonly [string, string])[] = [
	['__', '__underscores__'],
	['.', '__dot__'],
	['-', '__dash__'],
	['/', '__slash__'],
];

/** A property's name as a field of an expression; undefined where it cannot be one. */
export function escapedField(name: string): string | undefined {
	if (KEYWORDS.has(name)) return `__${name}__`;
	if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
	return name.replace(/__|[.\-/]/g, (part) => ESCAPES.find(([text]) => text === part)?.[1] ?? part);
}

/** What is kept by escaped names: a reserved word names its field as it is, too (since 1.31). */
export function byField<T>(fields: ReadonlyMap<string, T>, field: string): T | undefined {
	return fields.get(field) ?? (KEYWORDS.has(field) ? fields.get(`__${field}__`) : undefined);
}

export function unescapedField(field: string): string {
	if (!field.includes('__')) return field;
	const keyword = /^__([a-z]+)__$/.exec(field)?.[1];
	if (keyword !== undefined && KEYWORDS.has(keyword)) return keyword;
	return field.replace(/__(underscores|dot|dash|slash)__/g, (whole) => ESCAPES.find(([, escaped]) => escaped === whole)?.[0] ?? whole);
}

/** Values as JSON; EvalError for what has none. Whole numbers are numbers where they are exact, else bigint. */
export function toJson(value: Value): unknown {
	if (value === null || typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number') return value;
	if (typeof value === 'bigint') return wholeNumber(value);
	if (value instanceof Uint) return wholeNumber(value.value);
	if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
	if (value instanceof Timestamp) return formatTimestamp(value);
	if (value instanceof Duration) return formatDuration(value.nanos);
	if (value instanceof JsonList) return value.items;
	if (value instanceof JsonMap) return value.json;
	if (value instanceof ListValue) return [...value].map(toJson);
	if (value instanceof MapValue)
		return Object.fromEntries(
			[...value.keys()].map((key) => {
				if (typeof key !== 'string') throw new EvalError('only text can be the key of a JSON object');
				return [key, toJson(value.get(key) as Value)];
			}),
		);
	if (value instanceof Optional) return value.value === undefined ? null : toJson(value.value);
	throw new EvalError(`the value has no JSON form`);
}

function wholeNumber(value: bigint): number | bigint {
	return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
