/** Values with a JSON form of their own, in canonical form: times, durations, quantities, int-or-strings, schemas, raw JSON. */
import { canonicalQuantity, QUANTITY_ERROR } from '../quantity.ts';
import type { EncodedType } from '../schema.ts';
import { canonicalDuration, canonicalMicroTime, canonicalTime } from '../time.ts';
import { canonicalScalar } from './canonical-scalar.ts';
import { FloatLiteral, withPlainNumbers } from './float-literal.ts';
import { DecodeError, goType, typeMismatch } from './mismatch.ts';
import { valuePlan, type ValuePlan } from './plan.ts';
import type { Walk } from './walk.ts';

type Nested = (type: ValuePlan, given: unknown, walk: Walk) => unknown;

/** `nested` canonicalises the structs inside. */
export function canonicalEncoded(type: EncodedType, given: unknown, walk: Walk, nested: Nested): unknown {
	switch (type.encoding) {
		case 'time':
		case 'microTime':
			if (given === null) return null;
			if (typeof given !== 'string') throw typeMismatch(given, walk, 'string');
			return withoutZero(type.encoding === 'time' ? canonicalTime(given) : canonicalMicroTime(given));
		case 'duration':
			if (given === null) return '0s';
			if (typeof given !== 'string') throw typeMismatch(given, walk, 'string');
			return canonicalDuration(given);
		case 'quantity':
			if (given === null) return '0';
			if (typeof given === 'bigint') return canonicalQuantity(String(given));
			if (given instanceof FloatLiteral) return canonicalQuantity(given.text);
			if (typeof given !== 'string' && typeof given !== 'number') throw new DecodeError(QUANTITY_ERROR);
			return canonicalQuantity(typeof given === 'string' ? given.replaceAll(/^ +| +$/g, '') : given);
		case 'intOrString':
			if (given === null) return 0;
			if (typeof given === 'string') return given;
			return canonicalScalar('int32', given, walk);
		case 'items':
			if (given === null) return null;
			if (!Array.isArray(given)) throw typeMismatch(given, walk, goType({ form: 'encoded', type }));
			return given.map((item) => canonicalScalar('string', item, walk));
		case 'schemaOrBool':
		case 'schemaOrArray':
		case 'schemaOrStringArray':
			return schemaOr(type, given, walk, nested);
		case 'groupVersion':
		case 'rawExtension':
		case 'fieldsV1':
		case 'json':
		case 'unknown':
			return withPlainNumbers(given);
	}
}

/** The zero time is written as null. */
const withoutZero = (text: string): string | null => (text.startsWith('0001-01-01T00:00:00') ? null : text);

/** JSON schema's alternatives: a bool, a list, or a schema. What is neither is nothing, as Go's readers have it. */
function schemaOr(type: EncodedType, given: unknown, walk: Walk, nested: Nested): unknown {
	const schema = [...type.wireFields.values()].map((f) => f.type).find((t) => t.form === 'struct');
	if (schema === undefined || given === null) return given;
	const plan = valuePlan(schema);
	// These types read themselves, and not strictly.
	const inside: Walk = { ...walk, unknown: () => {} };
	if (typeof given === 'object' && !Array.isArray(given) && !(given instanceof FloatLiteral)) return nested(plan, given, inside);
	if (type.encoding === 'schemaOrBool') {
		if (typeof given === 'boolean') return given;
		throw new DecodeError('boolean or JSON schema expected');
	}
	if (!Array.isArray(given)) return undefined;
	return given.map((item: unknown, i) => {
		if (type.encoding === 'schemaOrStringArray') return canonicalScalar('string', item, walk);
		walk.path.push(i);
		const value = item === null ? {} : nested(plan, item, inside);
		walk.path.pop();
		return value;
	});
}
