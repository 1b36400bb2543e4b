/** Errors of single fields in upstream's words (apimachinery validation/field): a reason, the path, and a message that quotes the value. */
import type { StatusCause } from './gen/types.ts';
import { goNumber } from './go-float.ts';
import { goJson } from './go-json.ts';
import { goQuote } from './go-quote.ts';

/** A cause of an Invalid status; `invalid()` in status.ts joins them. */
export type FieldError = StatusCause & { readonly reason: string; readonly message: string; readonly field: string };

/** Values as Go's %#v-like quoting in field errors prints them: strings quoted, objects and lists as JSON, null as "null". */
function quoted(value: unknown): string {
	if (typeof value === 'string') return goQuote(value);
	if (value === undefined || value === null) return 'null';
	if (typeof value === 'object') return goJson(value);
	return typeof value === 'boolean' ? String(value) : goNumber(value as number | bigint);
}

const make = (reason: string, field: string, message: string): FieldError => ({ reason, message, field });
const tail = (detail: string): string => (detail === '' ? '' : `: ${detail}`);

export const required = (field: string, detail = ''): FieldError => make('FieldValueRequired', field, `Required value${tail(detail)}`);
export const invalidValue = (field: string, value: unknown, detail: string): FieldError =>
	make('FieldValueInvalid', field, `Invalid value: ${quoted(value)}${tail(detail)}`);
export const typeInvalid = (field: string, value: unknown, detail: string): FieldError =>
	make('FieldValueTypeInvalid', field, `Invalid value: ${quoted(value)}${tail(detail)}`);
export const duplicate = (field: string, value: unknown): FieldError =>
	make('FieldValueDuplicate', field, `Duplicate value: ${quoted(value)}`);
export const fieldForbidden = (field: string, detail: string): FieldError => make('FieldValueForbidden', field, `Forbidden${tail(detail)}`);
export const fieldNotFound = (field: string, value: unknown): FieldError =>
	make('FieldValueNotFound', field, `Not found: ${quoted(value)}`);
export const tooLong = (field: string, limit: number): FieldError =>
	make(
		'FieldValueTooLong',
		field,
		`Too long: ${limit < 0 ? 'value is too long' : `may not be more than ${limit} ${limit === 1 ? 'byte' : 'bytes'}`}`,
	);
export const tooMany = (field: string, actual: number, limit: number): FieldError =>
	make(
		'FieldValueTooMany',
		field,
		`Too many: ${actual}: ${limit < 0 ? 'has too many items' : `must have at most ${limit} ${limit === 1 ? 'item' : 'items'}`}`,
	);
/** A text is written as JSON: upstream's is of a named type, which Go's field errors do not quote. */
export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError =>
	make(
		'FieldValueNotSupported',
		field,
		`Unsupported value: ${typeof value === 'string' ? goJson(value) : quoted(value)}${supported.length === 0 ? '' : `: supported values: ${supported.map(goQuote).join(', ')}`}`,
	);
export const internal = (field: string, detail: string): FieldError => make('InternalError', field, `Internal error: ${detail}`);
