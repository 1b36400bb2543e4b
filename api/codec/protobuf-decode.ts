/** Kubernetes protobuf to the JSON form, driven by the contract (FORMAT: protobuf rules). */
import type { EncodedType, FieldSchema, StructType, TypeSchema } from '../schema.ts';
import { formatDuration } from '../time.ts';
import { parseJson } from './json-text.ts';
import { readFields, type WireValue } from './wire-format.ts';

type Json = Record<string, unknown>;

/** One message as a plain object; absent fields are absent. Canonicalisation comes after. */
export function decodeMessage(type: StructType, bytes: Buffer): Json {
	const out: Json = {};
	decodeInto(type, bytes, out);
	return out;
}

function decodeInto(type: StructType, bytes: Buffer, out: Json): void {
	const wire = readFields(bytes);
	for (const entry of type.wire) {
		const values = wire.get(entry.number);
		if (values === undefined) continue;
		if ('inline' in entry) {
			for (const value of values) decodeInto(entry.inline, asBytes(value), out);
			continue;
		}
		out[entry.field.name] = decodeField(entry.field, values);
	}
}

function decodeField(field: FieldSchema, values: readonly WireValue[]): unknown {
	const { type, shape } = field;
	if (shape === 'list') return values.map((v) => decodeValue(type, v));
	if (shape === 'map') {
		const entries = values.map((v): [string, unknown] => {
			const entry = readFields(asBytes(v));
			const value = entry.get(2)?.at(-1);
			return [asBytes(entry.get(1)?.at(-1) ?? Buffer.alloc(0)).toString(), value === undefined ? zeroOf(type) : decodeValue(type, value)];
		});
		return Object.fromEntries(entries);
	}
	return decodeValue(type, values.at(-1) ?? 0n);
}

function zeroOf(type: TypeSchema): unknown {
	if (type.form === 'scalar') return type.scalar === 'string' || type.scalar === 'bytes' ? '' : type.scalar === 'bool' ? false : 0;
	return type.form === 'encoded' && type.encoding === 'items' ? [] : type.form === 'encoded' && type.encoding === 'quantity' ? '0' : {};
}

function asBytes(value: WireValue): Buffer {
	if (typeof value === 'bigint') throw new RangeError('wrong wireType');
	return value;
}

/** An int64 as a number where that is exact. */
function integer(value: WireValue): number | bigint {
	if (typeof value !== 'bigint') throw new RangeError('wrong wireType');
	const signed = BigInt.asIntN(64, value);
	const number = Number(signed);
	return Number.isSafeInteger(number) ? number : signed;
}

function decodeValue(type: TypeSchema, value: WireValue): unknown {
	switch (type.form) {
		case 'scalar':
			switch (type.scalar) {
				case 'string':
					return asBytes(value).toString();
				case 'bytes':
					return asBytes(value).toString('base64');
				case 'bool':
					return integer(value) !== 0;
				case 'float64':
					return asBytes(value).readDoubleLE(0);
				case 'int32':
				case 'int64':
				case 'any':
					return integer(value);
			}
			break;
		case 'encoded':
			return decodeEncoded(type, asBytes(value));
		case 'struct':
			return decodeMessage(type, asBytes(value));
	}
	return undefined;
}

function decodeEncoded(type: EncodedType, bytes: Buffer): unknown {
	const wire = readFields(bytes);
	const all = (name: string): unknown[] => {
		const field = type.wireFields.get(name);
		return field === undefined ? [] : (wire.get(field.number) ?? []).map((v) => decodeValue(field.type, v));
	};
	const one = <T>(name: string, zero: T): T => (all(name).at(-1) as T | undefined) ?? zero;
	switch (type.encoding) {
		case 'time':
		case 'microTime': {
			if (bytes.length === 0) return null;
			const seconds = Number(one<number | bigint>('seconds', 0));
			const text = new Date(seconds * 1000).toISOString().slice(0, 19);
			return type.encoding === 'time'
				? `${text}Z`
				: `${text}.${String(Math.floor(Number(one<number>('nanos', 0)) / 1000)).padStart(6, '0')}Z`;
		}
		case 'duration':
			return formatDuration(BigInt(one<number | bigint>('duration', 0)));
		case 'quantity':
			return one('string', '') || '0';
		case 'intOrString':
			return one<number>('type', 0) === 1 ? one('strVal', '') : one('intVal', 0);
		case 'rawExtension':
		case 'fieldsV1':
		case 'json': {
			const field = type.wireFields.get('raw') ?? type.wireFields.get('Raw');
			const raw = wire.get(field?.number ?? 1)?.at(-1);
			return raw === undefined || asBytes(raw).length === 0 ? null : parseJson(asBytes(raw).toString());
		}
		case 'groupVersion': {
			const group = one('group', '');
			return group === '' ? one('version', '') : `${group}/${one('version', '')}`;
		}
		case 'items':
			return all('items');
		case 'schemaOrBool':
			return all('schema').at(-1) ?? one('allows', false);
		case 'schemaOrArray': {
			const list = all('jSONSchemas');
			return list.length > 0 ? list : (all('schema').at(-1) ?? null);
		}
		case 'schemaOrStringArray': {
			const list = all('property');
			return list.length > 0 ? list : (all('schema').at(-1) ?? null);
		}
		case 'unknown':
			return null;
	}
}
