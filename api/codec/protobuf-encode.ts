/** The JSON form to Kubernetes protobuf, driven by the contract, byte for byte what Go writes. */
import type { EncodedType, FieldSchema, StructType, TypeSchema, WireField } from '../schema.ts';
import { parseDuration } from '../time.ts';
import { WireWriter } from './wire-format.ts';

type Json = Record<string, unknown>;

export function encodeMessage(type: StructType, value: Json): Buffer {
	const writer = new WireWriter();
	message(writer, type, value);
	return writer.finish();
}

function message(w: WireWriter, type: StructType, object: Json): void {
	for (const entry of type.wire) {
		if ('inline' in entry) {
			if (!entry.pointer || [...entry.inline.fields.keys()].some((k) => object[k] !== undefined))
				w.message(entry.number, () => message(w, entry.inline, object));
			continue;
		}
		field(w, entry.number, entry.field, object[entry.field.name]);
	}
}

function field(w: WireWriter, number: number, schema: FieldSchema, value: unknown): void {
	const { type, shape } = schema;
	if (shape === 'list') {
		for (const item of (value as readonly unknown[] | null | undefined) ?? []) one(w, number, type, item);
		return;
	}
	if (shape === 'map') {
		const map = (value ?? {}) as Json;
		for (const key of Object.keys(map).toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))) {
			w.message(number, () => {
				w.string(1, key);
				if (type.form !== 'scalar' || type.scalar !== 'bytes' || (map[key] !== undefined && map[key] !== null)) one(w, 2, type, map[key]);
			});
		}
		return;
	}
	if (value === undefined || value === null) {
		const optional =
			schema.pointer || (type.form === 'scalar' && type.scalar === 'bytes') || (type.form === 'encoded' && type.encoding === 'items');
		if (optional) return;
	}
	one(w, number, type, value);
}

function one(w: WireWriter, number: number, type: TypeSchema, value: unknown): void {
	switch (type.form) {
		case 'struct':
			w.message(number, () => message(w, type, (value ?? {}) as Json));
			return;
		case 'encoded':
			w.message(number, () => encoded(w, type, value));
			return;
		case 'scalar':
			scalar(w, number, type.scalar, value);
	}
}

function scalar(w: WireWriter, number: number, kind: string, value: unknown): void {
	switch (kind) {
		case 'string':
			w.string(number, (value as string | undefined) ?? '');
			return;
		case 'bytes':
			w.bytes(number, Buffer.from((value as string | undefined) ?? '', 'base64'));
			return;
		case 'float64':
			w.tag(number, 'fixed64');
			w.double((value as number | undefined) ?? 0);
			return;
		case 'bool':
			w.tag(number, 'varint');
			w.varint(value === true ? 1 : 0);
			return;
		default:
			w.tag(number, 'varint');
			w.varint((value as number | bigint | undefined | null) ?? 0);
	}
}

function encoded(w: WireWriter, type: EncodedType, value: unknown): void {
	const put = (name: string, item: unknown): void => {
		const f: WireField | undefined = type.wireFields.get(name);
		if (f !== undefined) one(w, f.number, f.type, item);
	};
	switch (type.encoding) {
		case 'time':
		case 'microTime': {
			if (value === undefined || value === null) return;
			const text = value as string;
			put('seconds', Math.floor(Date.parse(`${text.slice(0, 19)}Z`) / 1000));
			put('nanos', type.encoding === 'time' ? 0 : Number(text.slice(20, 26)) * 1000);
			return;
		}
		case 'duration':
			return put('duration', parseDuration((value as string | undefined) ?? '0s'));
		case 'quantity':
			return put('string', (value as string | undefined) ?? '0');
		case 'intOrString':
			put('type', typeof value === 'string' ? 1 : 0);
			put('intVal', typeof value === 'string' ? 0 : (value ?? 0));
			return put('strVal', typeof value === 'string' ? value : '');
		case 'rawExtension':
		case 'fieldsV1':
		case 'json': {
			const f = type.wireFields.get('raw') ?? type.wireFields.get('Raw');
			if (value !== undefined && value !== null && f !== undefined) w.bytes(f.number, Buffer.from(JSON.stringify(value)));
			return;
		}
		case 'items':
			for (const item of (value as readonly unknown[] | undefined) ?? []) put('items', item);
			return;
		case 'groupVersion': {
			const text = (value as string | undefined) ?? '';
			const at = text.indexOf('/');
			put('group', at < 0 ? '' : text.slice(0, at));
			return put('version', text.slice(at + 1));
		}
		case 'schemaOrBool':
			put('allows', value !== false);
			if (typeof value === 'object' && value !== null) put('schema', value);
			return;
		case 'schemaOrArray':
			return listOr(value, 'jSONSchemas', put);
		case 'schemaOrStringArray':
			return listOr(value, 'property', put);
		case 'unknown':
	}
}

function listOr(value: unknown, list: string, put: (name: string, item: unknown) => void): void {
	if (Array.isArray(value)) for (const item of value) put(list, item);
	else if (value !== undefined && value !== null) put('schema', value);
}
