/** Numbers against a schema: range of the type's format, multipleOf, minimum, maximum (kube-openapi validate numberValidator). */
import { invalidValue, type FieldError } from '../field-error.ts';
import { goFloat, isInt64 } from '../go-float.ts';
import { formatOf } from './formats.ts';
import type { Schema } from './schema.ts';

const INT32: readonly [number, number] = [-(2 ** 31), 2 ** 31 - 1];
const INT64: readonly [number, number] = [-(2 ** 63), 2 ** 63];
const MAX_FLOAT32 = 3.402_823_466_385_288_6e38;
/** How far from a whole number the quotient of a multiple may be, by their sum. */
const EPSILON = 1e-9;

export function checkNumber(value: number | bigint, schema: Schema, path: string): readonly FieldError[] {
	const { multipleOf, maximum, exclusiveMaximum = false, minimum, exclusiveMinimum = false } = schema;
	const errors: FieldError[] = [];
	/** Whether the number fits the type; a bound that does not is told, and still holds as it is. */
	const fits = (number: number | bigint, prefix: string): boolean => {
		const wrong = rangeError(number, schema);
		if (wrong === undefined) return true;
		const message = `Invalid value: "": ${prefix} value must be of type ${wrong} in ${path}`;
		errors.push({ reason: 'FieldValueInvalid', message, field: '<nil>' });
		return false;
	};
	fits(value, 'Checked');
	/** A bound is an integer beside an integer, which is taken by all its digits then. */
	const compared = (given: number | bigint, isGood: boolean): Compared => {
		const isInteger = isGood && isInt64(value);
		return isInteger
			? { isInteger, number: value, bound: Math.trunc(Number(given)) }
			: { isInteger, number: Number(value), bound: Number(given) };
	};
	const add = ({ isInteger, number, bound }: Compared, what: string): void => {
		const message = `Invalid value: ${shown(number, isInteger)}: ${path} in body ${what} ${shown(bound, isInteger)}`;
		errors.push({ reason: 'FieldValueInvalid', message, field: path });
	};
	if (multipleOf !== undefined) {
		const both = compared(multipleOf, fits(multipleOf, 'MultipleOf'));
		const { isInteger, number, bound } = both;
		if (bound <= 0)
			errors.push(invalidValue(path, bound, `factor MultipleOf declared for ${path} must be positive: ${shown(bound, isInteger)}`));
		else if (!isMultiple(number, bound)) add(both, 'should be a multiple of');
	}
	if (minimum !== undefined) {
		const both = compared(minimum, fits(minimum, 'Minimum boundary'));
		if (exclusiveMinimum ? both.number <= both.bound : both.number < both.bound)
			add(both, `should be greater than${exclusiveMinimum ? '' : ' or equal to'}`);
	}
	if (maximum !== undefined) {
		const both = compared(maximum, fits(maximum, 'Maximum boundary'));
		if (exclusiveMaximum ? both.number >= both.bound : both.number > both.bound)
			add(both, `should be less than${exclusiveMaximum ? '' : ' or equal to'}`);
	}
	return errors;
}

/** A value and what it is held against, both as they are compared. */
interface Compared {
	readonly isInteger: boolean;
	readonly number: number | bigint;
	readonly bound: number;
}

const shown = (number: number | bigint, isInteger: boolean): string => (isInteger ? String(BigInt(number)) : goFloat(Number(number)));

/** What the value should have been. */
function rangeError(value: number | bigint, schema: Schema): string | undefined {
	const { type = '', format: given = '' } = schema;
	const format = formatOf({ type, format: given });
	if (type === 'integer') {
		const [least, most] = format === 'int32' ? INT32 : INT64;
		const whole = typeof value === 'bigint' || Number.isInteger(value);
		if (whole && Number(value) >= least && Number(value) <= most) return undefined;
	} else if (format !== 'float' || Math.abs(Number(value)) <= MAX_FLOAT32) return undefined;
	return format === '' ? `${type} (default format)` : `${type} with format ${format}`;
}

function isMultiple(value: number | bigint, factor: number): boolean {
	if (typeof value === 'bigint') return value % BigInt(factor) === 0n;
	if (Number.isSafeInteger(value) && Number.isInteger(factor)) return value % factor === 0;
	const quotient = factor < 1 ? (1 / factor) * value : value / factor;
	if (!Number.isFinite(quotient) || Math.abs(quotient) > Number.MAX_SAFE_INTEGER) return false;
	if (Number.isInteger(quotient)) return true;
	const whole = Math.trunc(quotient);
	return quotient > 0 && whole !== 0 && Math.abs(quotient - whole) / (quotient + whole) < EPSILON;
}
