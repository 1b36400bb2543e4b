/** Messages of values with a JSON form of their own. */
import type { EncodedType } from '../schema.ts';
import { formatDuration } from '../time.ts';
import { parseSentJson } from './json-text.ts';
import { valuePlan, type ValuePlan } from './plan.ts';
import type { WireReader } from './wire-format.ts';

/** Reads one value of any type. */
export type DecodeValue = (r: WireReader, type: ValuePlan, wire: number) => unknown;

/** Reads the current message to its end. */
export function decodeSpecial(r: WireReader, type: EncodedType, decodeValue: DecodeValue): unknown {
	switch (type.encoding) {
		case 'time':
		case 'microTime':
			return time(r, type.encoding === 'microTime');
		case 'quantity':
			return text(r) || '0';
		case 'duration':
			return duration(r);
		case 'rawExtension':
		case 'fieldsV1':
		case 'json':
			return raw(r);
		case 'intOrString':
		case 'groupVersion':
		case 'items':
		case 'schemaOrBool':
		case 'schemaOrArray':
		case 'schemaOrStringArray':
			return composed(fieldsOf(r, type, decodeValue), type);
		case 'unknown':
			while (r.more) r.skip(r.uint32());
			return null;
	}
}

/** Seconds and nanoseconds, both numbered as in the contract; an empty message is the zero time. */
function time(r: WireReader, micro: boolean): string | null {
	if (!r.more) return null;
	let seconds = 0;
	let nanos = 0;
	while (r.more) {
		const tag = r.uint32();
		if (tag === 8) seconds = Number(r.varint());
		else if (tag === 16) nanos = Number(r.varint());
		else r.skip(tag);
	}
	const date = new Date(seconds * 1000);
	if (Number.isNaN(date.getTime())) throw new RangeError('proto: time out of range');
	const seen = date.toISOString().slice(0, 19);
	return micro ? `${seen}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z` : `${seen}Z`;
}

/** A string in field 1. */
function text(r: WireReader): string {
	let found = '';
	while (r.more) {
		const tag = r.uint32();
		if (tag === 10) found = r.string();
		else r.skip(tag);
	}
	return found;
}

/** Nanoseconds in field 1. */
function duration(r: WireReader): string {
	let ns: number | bigint = 0;
	while (r.more) {
		const tag = r.uint32();
		if (tag === 8) ns = r.varint();
		else r.skip(tag);
	}
	return formatDuration(BigInt(ns));
}

/** JSON in field 1. */
function raw(r: WireReader): unknown {
	const json = text(r);
	if (json === '') return null;
	try {
		return parseSentJson(json);
	} catch (cause) {
		throw new RangeError('proto: raw field is no JSON', { cause });
	}
}

function fieldsOf(r: WireReader, type: EncodedType, decodeValue: DecodeValue): Map<string, unknown[]> {
	const found = new Map<string, unknown[]>();
	while (r.more) {
		const tag = r.uint32();
		const entry = [...type.wireFields].find(([, field]) => field.number === tag >>> 3);
		if (entry === undefined) {
			r.skip(tag);
			continue;
		}
		const [name, field] = entry;
		const value = decodeValue(r, valuePlan(field.type), tag & 7);
		const list = found.get(name);
		if (list === undefined) found.set(name, [value]);
		else list.push(value);
	}
	return found;
}

function composed(fields: ReadonlyMap<string, readonly unknown[]>, { encoding }: EncodedType): unknown {
	const one = (name: string): unknown => fields.get(name)?.at(-1);
	switch (encoding) {
		case 'intOrString':
			return one('type') === 1 ? (one('strVal') ?? '') : (one('intVal') ?? 0);
		case 'groupVersion': {
			const [group = '', version = ''] = [one('group'), one('version')] as readonly (string | undefined)[];
			return group === '' ? version : `${group}/${version}`;
		}
		case 'items':
			return fields.get('items') ?? [];
		case 'schemaOrBool':
			return one('schema') ?? one('allows') ?? false;
		case 'schemaOrArray':
			return fields.get('jSONSchemas') ?? one('schema') ?? null;
		default:
			return fields.get('property') ?? one('schema') ?? null;
	}
}
