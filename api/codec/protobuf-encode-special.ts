/** Values with a JSON form of their own as the fields of their messages. */
import type { EncodedType } from '../schema.ts';
import { parseDuration } from '../time.ts';
import { valuePlan, type ValuePlan } from './plan.ts';
import type { WireWriter } from './wire-format.ts';

/** Appends one field with one value of any type. */
export type EncodeValue = (w: WireWriter, number: number, type: ValuePlan, value: unknown) => void;

export function encodeSpecial(w: WireWriter, type: EncodedType, value: unknown, encodeValue: EncodeValue): void {
	const put = (name: string, item: unknown): void => {
		const field = type.wireFields.get(name);
		if (field !== undefined) encodeValue(w, field.number, valuePlan(field.type), item);
	};
	switch (type.encoding) {
		case 'time':
		case 'microTime': {
			if (value === undefined || value === null) return;
			const text = value as string;
			put('seconds', secondsOf(text));
			put('nanos', type.encoding === 'time' ? 0 : Number(text.slice(20, 26)) * 1000);
			return;
		}
		case 'duration':
			put('duration', parseDuration((value as string | undefined) ?? '0s'));
			return;
		case 'quantity':
			put('string', (value as string | undefined) ?? '0');
			return;
		case 'intOrString':
			put('type', typeof value === 'string' ? 1 : 0);
			put('intVal', typeof value === 'string' ? 0 : (value ?? 0));
			put('strVal', typeof value === 'string' ? value : '');
			return;
		case 'rawExtension':
		case 'fieldsV1':
		case 'json': {
			const field = type.wireFields.get('raw') ?? type.wireFields.get('Raw');
			if (value !== undefined && value !== null && field !== undefined) w.bytes(field.number, Buffer.from(JSON.stringify(value)));
			return;
		}
		case 'items':
			for (const item of (value as readonly unknown[] | undefined | null) ?? []) put('items', item);
			return;
		case 'groupVersion': {
			const text = (value as string | undefined) ?? '';
			const at = text.indexOf('/');
			put('group', at < 0 ? '' : text.slice(0, at));
			put('version', text.slice(at + 1));
			return;
		}
		case 'schemaOrBool':
			put('allows', value !== false);
			if (typeof value === 'object' && value !== null) put('schema', value);
			return;
		case 'schemaOrArray':
			listOrSchema(value, 'jSONSchemas', put);
			return;
		case 'schemaOrStringArray':
			listOrSchema(value, 'property', put);
			return;
		case 'unknown':
	}
}

function listOrSchema(value: unknown, list: string, put: (name: string, item: unknown) => void): void {
	if (Array.isArray(value)) for (const item of value) put(list, item);
	else if (value !== undefined && value !== null) put('schema', value);
}

const secondsOf = (text: string): number => Math.floor(Date.parse(`${text.slice(0, 19)}Z`) / 1000);
