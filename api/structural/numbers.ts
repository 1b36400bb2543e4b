/** Numbers against a schema: range of the type's format, multipleOf, maximum, minimum. */
import { invalidValue, type FieldError } from '../field-error.ts';
import type { Schema } from './schema.ts';

const RANGES: Readonly<Record<string, readonly [number, number]>> = {
	int32: [-(2 ** 31), 2 ** 31 - 1],
	uint32: [0, 2 ** 32 - 1],
	int64: [-(2 ** 63), 2 ** 63],
	uint64: [0, 2 ** 64],
	float: [-3.402_823_466_385_288_6e38, 3.402_823_466_385_288_6e38],
};

export function isWhole(value: number | bigint): boolean {
	return typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value);
}

export function checkNumber(value: number | bigint, schema: Schema, path: string): readonly FieldError[] {
	const { multipleOf, maximum, exclusiveMaximum = false, minimum, exclusiveMinimum = false } = schema;
	const errors: FieldError[] = [];
	const add = (what: string): unknown => errors.push(invalidValue(path, value, `${path} in body ${what}`));
	const wrong = rangeError(value, schema);
	if (wrong !== undefined)
		errors.push({
			reason: 'FieldValueInvalid',
			message: `Invalid value: "": Checked value must be of type ${wrong} in ${path}`,
			field: '<nil>',
		});
	const number = Number(value);
	if (multipleOf !== undefined) {
		// Whole numbers are divided by what is whole of the factor.
		const factor = isWhole(value) ? Math.trunc(multipleOf) : multipleOf;
		if (factor <= 0) errors.push(invalidValue(path, factor, `factor MultipleOf declared for ${path} must be positive: ${factor}`));
		else if (!isMultiple(number, factor)) add(`should be a multiple of ${multipleOf}`);
	}
	if (maximum !== undefined && (exclusiveMaximum ? number >= maximum : number > maximum))
		add(`should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`);
	if (minimum !== undefined && (exclusiveMinimum ? number <= minimum : number < minimum))
		add(`should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`);
	return errors;
}

/** What the value should have been. */
function rangeError(value: number | bigint, { type = '', format = '' }: Schema): string | undefined {
	const range = RANGES[format];
	if (type === 'integer') {
		const good = isWhole(value) && (range === undefined || (Number(value) >= range[0] && Number(value) <= range[1]));
		return good ? undefined : `integer${format === '' ? ' (default format)' : ` with format ${format}`}`;
	}
	if (type !== 'number' || range === undefined) return undefined;
	return Number(value) >= range[0] && Number(value) <= range[1] ? undefined : `number with format ${format}`;
}

function isMultiple(value: number, factor: number): boolean {
	if (Number.isInteger(value) && Number.isInteger(factor)) return value % factor === 0;
	const ratio = value / factor;
	return Math.abs(ratio - Math.round(ratio)) < 1e-9 && Number.isInteger(Number(ratio.toPrecision(12)));
}
