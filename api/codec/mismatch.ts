/** Errors of decoding, in the words of Go's JSON package. */
import { AppError } from '../../base/errors.ts';
import type { Place } from './canonical.ts';

/** A body that does not fit its type. */
export class DecodeError extends AppError {
	constructor(message: string) {
		super('InvalidArgument', message);
	}
}

export function typeMismatch(value: unknown, place: Place, goType: string): DecodeError {
	const integer = typeof value === 'number' && /^(int32|int64)$/.test(goType);
	const what = integer ? `number ${String(value)}` : jsonKind(value);
	return new DecodeError(`json: cannot unmarshal ${what} into Go struct field ${place.struct}.${place.fields} of type ${goType}`);
}

function jsonKind(value: unknown): string {
	if (Array.isArray(value)) return 'array';
	if (typeof value === 'boolean') return 'bool';
	return typeof value === 'bigint' ? 'number' : typeof value;
}
