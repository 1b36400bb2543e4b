/** The JSON form to Kubernetes protobuf, driven by the contract, byte for byte what Go writes. */
import { encodeSpecial } from './protobuf-encode-special.ts';
import type { FieldPlan, StructPlan, ValuePlan } from './plan.ts';
import { FIXED64, VARINT, type WireWriter } from './wire-format.ts';

type Json = Record<string, unknown>;

/** Appends the fields of the message. */
export function encodeMessage(w: WireWriter, plan: StructPlan, object: Json): void {
	for (const entry of plan.wire) {
		if (entry.field !== undefined) encodeField(w, entry.number, entry.field, object[entry.field.name]);
		else if (!entry.pointer || entry.inline.fields.some((f) => object[f.name] !== undefined)) {
			const start = w.begin(entry.number);
			encodeMessage(w, entry.inline, object);
			w.end(start);
		}
	}
}

function encodeField(w: WireWriter, number: number, field: FieldPlan, value: unknown): void {
	const type = field.value;
	const missing = value === undefined || value === null;
	if (field.shape === 'list') {
		if (!missing) for (const item of value as readonly unknown[]) encodeValue(w, number, type, item);
	} else if (field.shape === 'map') {
		if (!missing) encodeMap(w, number, type, value as Json);
	} else if (!missing || !isOptional(field)) encodeValue(w, number, type, value);
}

/** Left out when absent: pointers, bytes, and lists in a message of their own. */
function isOptional({ pointer, value }: FieldPlan): boolean {
	return pointer || (value.form === 'scalar' ? value.scalar === 'bytes' : value.form === 'encoded' && value.type.encoding === 'items');
}

function encodeMap(w: WireWriter, number: number, type: ValuePlan, map: Json): void {
	for (const key of inByteOrder(Object.keys(map))) {
		const value = map[key];
		const start = w.begin(number);
		w.string(1, key);
		const absentBytes = type.form === 'scalar' && type.scalar === 'bytes' && (value === undefined || value === null);
		if (!absentBytes) encodeValue(w, 2, type, value);
		w.end(start);
	}
}

/** Go sorts by bytes; UTF-16 order is the same but beyond the basic plane. */
function inByteOrder(keys: string[]): string[] {
	if (keys.length < 2) return keys;
	keys.sort();
	return keys.some((key) => /[\ud800-\udfff]/.test(key)) ? keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))) : keys;
}

/** One field with one value; an absent value is the zero one. */
function encodeValue(w: WireWriter, number: number, type: ValuePlan, value: unknown): void {
	if (type.form === 'scalar') {
		encodeScalar(w, number, type.scalar, value);
		return;
	}
	const start = w.begin(number);
	if (type.form === 'struct') encodeMessage(w, type.plan(), (value ?? {}) as Json);
	else encodeSpecial(w, type.type, value, encodeValue);
	w.end(start);
}

function encodeScalar(w: WireWriter, number: number, scalar: string, value: unknown): void {
	switch (scalar) {
		case 'string':
			w.string(number, (value as string | undefined) ?? '');
			return;
		case 'bytes':
			w.bytes(number, Buffer.from((value as string | undefined) ?? '', 'base64'));
			return;
		case 'float64':
			w.tag(number, FIXED64);
			w.double((value as number | undefined) ?? 0);
			return;
		case 'bool':
			w.tag(number, VARINT);
			w.varint(value === true ? 1 : 0);
			return;
		default:
			w.tag(number, VARINT);
			w.varint((value as number | bigint | undefined | null) ?? 0);
	}
}
