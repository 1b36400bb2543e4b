/** Types of built-in kinds for expressions: the contract's types as far as expressions can tell them apart. Pure. */
import type { Type } from '../cel/types.ts';
import { schemaOfKind, typeNamed, type Encoding, type FieldSchema, type TypeSchema } from '../schema.ts';
import { scalarJson } from './schemas.ts';
import { kindType, REF, type KindName, type Schema } from './cel-types.ts';

/** The type of a built-in kind; undefined: there is none. */
export function builtInKindType({ group, version, kind }: KindName): Type | undefined {
	const schema = schemaOfKind(group, version, kind);
	return schema === undefined ? undefined : kindType((name) => definitionOf(typeNamed(name)), schema.name, kind);
}

/** Its references are the contract's names. */
function definitionOf(type: TypeSchema): Schema {
	switch (type.form) {
		case 'scalar':
			return scalarJson(type.scalar);
		case 'encoded':
			return encodedSchema(type.encoding);
		case 'struct':
			return { type: 'object', properties: Object.fromEntries([...type.fields].map(([name, field]) => [name, fieldSchema(field)])) };
	}
}

function fieldSchema({ shape, type }: FieldSchema): Schema {
	const value: Schema = type.form === 'scalar' ? scalarJson(type.scalar) : { $ref: REF + type.name };
	switch (shape) {
		case 'single':
			return value;
		case 'list':
			return { type: 'array', items: value };
		case 'map':
			return { type: 'object', additionalProperties: value };
	}
}

/** A quantity is text or a number, which upstream's types do not say: expressions are warned that they do not reach it. */
function encodedSchema(encoding: Encoding): Schema {
	switch (encoding) {
		case 'time':
		case 'microTime':
			return { type: 'string', format: 'date-time' };
		case 'intOrString':
			return { format: 'int-or-string' };
		case 'duration':
		case 'groupVersion':
			return { type: 'string' };
		case 'rawExtension':
		case 'fieldsV1':
			return { type: 'object' };
		case 'items':
			return { type: 'array', items: { type: 'string' } };
		case 'quantity':
		case 'json':
		case 'schemaOrBool':
		case 'schemaOrArray':
		case 'schemaOrStringArray':
		case 'unknown':
			return {};
	}
}
