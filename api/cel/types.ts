/** Types of CEL expressions, as the checker reasons about them. */

export type Type =
	| { readonly kind: SimpleKind }
	/** Of a schema: a day's text is no time's. */
	| { readonly kind: 'timestamp'; readonly format: 'date' }
	/** Of a schema: any type to the checker, and nothing but one of the two as a value. */
	| { readonly kind: 'dyn'; readonly format: 'int-or-string' }
	| ListType
	| { readonly kind: 'map'; readonly key: Type; readonly value: Type }
	| ObjectType
	/** A library's type, or optional_type with what it holds. */
	| { readonly kind: 'opaque'; readonly name: string; readonly params: readonly Type[] }
	/** The type of a type; `of` is undefined where it is any. */
	| { readonly kind: 'type'; readonly of: Type | undefined }
	| { readonly kind: 'param'; readonly name: string };

/** `any` is dyn but for its name, and for that nothing can go over it. */
export type SimpleKind =
	| 'dyn'
	| 'any'
	| 'error'
	| 'null'
	| 'bool'
	| 'int'
	| 'uint'
	| 'double'
	| 'string'
	| 'bytes'
	| 'timestamp'
	| 'duration';

export interface ListType {
	readonly kind: 'list';
	readonly items: Type;
	/** Of a schema: a set, or the fields that key its items; undefined: items by their place. */
	readonly members?: 'set' | readonly string[];
}

export interface ObjectType {
	readonly kind: 'object';
	readonly name: string;
	/** Undefined: no such field. */
	readonly field: (name: string) => Type | undefined;
	/** Whether a schema has a property of that name, be it of a type or not; undefined: as it has fields. */
	readonly declares?: (name: string) => boolean;
}

const simple = <K extends SimpleKind>(kind: K): { readonly kind: K } => ({ kind });

export const DYN = simple('dyn');
export const ANY = simple('any');
export const ERROR = simple('error');
export const NULL = simple('null');
export const BOOL = simple('bool');
export const INT = simple('int');
export const UINT = simple('uint');
export const DOUBLE = simple('double');
export const STRING = simple('string');
export const BYTES = simple('bytes');
export const TIMESTAMP = simple('timestamp');
export const DATE: Type = { kind: 'timestamp', format: 'date' };
export const INT_OR_STRING: Type = { kind: 'dyn', format: 'int-or-string' };
export const DURATION = simple('duration');
export const TYPE: Type = { kind: 'type', of: undefined };

export const listOf = (items: Type): Type => ({ kind: 'list', items });
export const mapOf = (key: Type, value: Type): Type => ({ kind: 'map', key, value });
export const opaque = (name: string, ...params: readonly Type[]): Type => ({ kind: 'opaque', name, params });
export const isDyn = ({ kind }: Type): boolean => kind === 'dyn' || kind === 'any';
export const optionalOf = (value: Type): Type => opaque('optional_type', value);
export const param = (name: string): Type => ({ kind: 'param', name });
export const objectOf = (name: string, fields: Readonly<Record<string, Type>>): ObjectType => ({
	kind: 'object',
	name,
	field: (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined),
});

const NAMES: Readonly<Record<SimpleKind, string>> = {
	dyn: 'dyn',
	any: 'any',
	error: '!error!',
	null: 'null',
	bool: 'bool',
	int: 'int',
	uint: 'uint',
	double: 'double',
	string: 'string',
	bytes: 'bytes',
	timestamp: 'timestamp',
	duration: 'duration',
};

/** As error messages name it: "list(string)", "google.protobuf.Timestamp" where cel-go says timestamp. */
export function typeName(type: Type): string {
	switch (type.kind) {
		case 'list':
			return `list(${typeName(type.items)})`;
		case 'map':
			return `map(${typeName(type.key)}, ${typeName(type.value)})`;
		case 'object':
			return type.name;
		case 'opaque':
			return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(typeName).join(', ')})`;
		case 'type':
			return type.of === undefined ? 'type' : `type(${typeName(type.of)})`;
		case 'param':
			return type.name;
		case 'dyn':
		case 'any':
		case 'error':
		case 'null':
		case 'bool':
		case 'int':
		case 'uint':
		case 'double':
		case 'string':
		case 'bytes':
		case 'timestamp':
		case 'duration':
			return NAMES[type.kind];
	}
}

/** As an expression's own type is told: as values name it, with what it is of, "list(google.protobuf.Timestamp)". */
export function declaredName(type: Type): string {
	const of = (...types: readonly Type[]): string => `(${types.map(declaredName).join(', ')})`;
	switch (type.kind) {
		case 'list':
			return `list${of(type.items)}`;
		case 'map':
			return `map${of(type.key, type.value)}`;
		case 'opaque':
			return type.params.length === 0 ? type.name : `${type.name}${of(...type.params)}`;
		case 'type':
			return type.of === undefined ? 'type' : `type${of(type.of)}`;
		default:
			return runtimeName(type);
	}
}

/** As values name their type: "list", "google.protobuf.Timestamp". */
export function runtimeName(type: Type): string {
	switch (type.kind) {
		case 'any':
			return 'google.protobuf.Any';
		case 'null':
			return 'null_type';
		case 'timestamp':
			return 'google.protobuf.Timestamp';
		case 'duration':
			return 'google.protobuf.Duration';
		case 'object':
		case 'opaque':
		case 'param':
			return type.name;
		default:
			return type.kind === 'error' ? typeName(type) : type.kind;
	}
}
