/** Errors of decoding, in the words of Go's JSON package. */
import { AppError } from '../../base/errors.ts';
import { FloatLiteral } from './float-literal.ts';
import { EMBEDDED, type ValuePlan } from './plan.ts';
import type { Walk } from './walk.ts';

/** A body that does not fit its type. */
export class DecodeError extends AppError {
	/** Go reads no further. */
	readonly final: boolean;

	constructor(message: string, final = false) {
		super('InvalidArgument', message);
		this.final = final;
	}
}

/** Go names the field by keys alone: no indexes and, for a map's value, not its key. */
export function typeMismatch(value: unknown, { path, struct }: Walk, goTypeName: string, inMap = false): DecodeError {
	const integer = jsonKind(value) === 'number' && (goTypeName === 'int32' || goTypeName === 'int64');
	const what = integer ? `number ${value instanceof FloatLiteral ? value.text : String(value)}` : jsonKind(value);
	const keys = (inMap ? path.slice(0, -1) : path)
		.filter((part) => typeof part === 'string')
		.map((part) => (part.startsWith(EMBEDDED) ? part.slice(EMBEDDED.length) : part));
	return new DecodeError(`json: cannot unmarshal ${what} into Go struct field ${struct}.${keys.join('.')} of type ${goTypeName}`);
}

/** What Go calls a JSON value. */
export function jsonKind(value: unknown): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'array';
	if (typeof value === 'boolean') return 'bool';
	return typeof value === 'bigint' || value instanceof FloatLiteral ? 'number' : typeof value;
}

/** The Go name of a type as decoding errors print it: "core/v1.PodSpec" is "v1.PodSpec". */
export function goType(type: ValuePlan): string {
	if (type.form === 'scalar' && type.scalar === 'bytes') return '[]uint8';
	const name = type.form === 'encoded' ? type.type.name : type.name;
	return name.slice(name.lastIndexOf('/') + 1);
}
