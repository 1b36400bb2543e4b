/** Kubernetes protobuf to the JSON form, driven by the contract (unknown fields are skipped). Canonicalisation comes after. */
import { decodeSpecial } from './protobuf-decode-special.ts';
import type { FieldPlan, StructPlan, ValuePlan } from './plan.ts';
import { BYTES, FIXED64, VARINT, type WireReader } from './wire-format.ts';
import { setOwn } from '../own-field.ts';

type Json = Record<string, unknown>;

/** Reads the current message into `out`; absent fields stay absent. */
export function decodeMessage(r: WireReader, plan: StructPlan, out: Json = {}): Json {
	const { byNumber } = plan;
	while (r.more) {
		const tag = r.tag(plan.goName);
		const wire = tag & 7;
		const entry = byNumber[tag >>> 3];
		if (entry === undefined) r.skip(tag);
		else if (entry.field !== undefined) decodeField(r, entry.field, wire, out);
		else {
			expect(wire, BYTES);
			const outer = r.enter();
			decodeMessage(r, entry.inline, out);
			r.leave(outer);
		}
	}
	return out;
}

function expect(wire: number, wanted: number): void {
	if (wire !== wanted) throw new RangeError(`proto: wrong wireType = ${wire}`);
}

function decodeField(r: WireReader, { name, shape, value: type }: FieldPlan, wire: number, out: Json): void {
	if (shape === 'single') {
		out[name] = decodeValue(r, type, wire);
		return;
	}
	if (shape === 'list') {
		const list = out[name] as unknown[] | undefined;
		const item = decodeValue(r, type, wire);
		if (list === undefined) out[name] = [item];
		else list.push(item);
		return;
	}
	expect(wire, BYTES);
	const outer = r.enter();
	let key = '';
	let value: unknown;
	while (r.more) {
		const tag = r.uint32();
		if (tag >>> 3 === 1) key = r.string();
		else if (tag >>> 3 === 2) value = decodeValue(r, type, tag & 7);
		else r.skip(tag);
	}
	r.leave(outer);
	const map = (out[name] ??= {}) as Json;
	const item = value === undefined ? zeroOf(type) : value;
	setOwn(map, key, item);
}

function zeroOf(type: ValuePlan): unknown {
	if (type.form === 'scalar') return type.scalar === 'string' || type.scalar === 'bytes' ? '' : type.scalar === 'bool' ? false : 0;
	return type.form === 'encoded' && type.type.encoding === 'items'
		? []
		: type.form === 'encoded' && type.type.encoding === 'quantity'
			? '0'
			: {};
}

function decodeValue(r: WireReader, type: ValuePlan, wire: number): unknown {
	switch (type.form) {
		case 'struct': {
			expect(wire, BYTES);
			const outer = r.enter();
			const value = decodeMessage(r, type.plan());
			r.leave(outer);
			return value;
		}
		case 'encoded': {
			expect(wire, BYTES);
			const outer = r.enter();
			const value = decodeSpecial(r, type.type, decodeValue);
			r.leave(outer);
			return value;
		}
		case 'scalar':
			break;
	}
	switch (type.scalar) {
		case 'string':
			expect(wire, BYTES);
			return r.string();
		case 'bytes':
			expect(wire, BYTES);
			return r.take().toString('base64');
		case 'float64':
			expect(wire, FIXED64);
			return r.double();
		case 'bool':
			expect(wire, VARINT);
			return r.varint() !== 0;
		case 'int32':
		case 'int64':
		case 'any':
			expect(wire, VARINT);
			return r.varint();
	}
}
