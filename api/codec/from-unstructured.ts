/**
 * Does a map fit a type, as apimachinery's unstructured converter asks (what strategic patches make goes through it, not through JSON)?
 * The first complaint in its words. What has a JSON form of its own is left to the codec, whose words are then the same.
 */
import type { EncodedType, FieldSchema, ScalarType, StructType, TypeSchema } from '../schema.ts';
import { base64Complaint } from './canonical-scalar.ts';
import { jsonKind } from './mismatch.ts';
import { goKind } from './go-kind.ts';

type Json = Record<string, unknown>;

/** Undefined: it fits. */
export function unstructuredComplaint(type: StructType, value: unknown): string | undefined {
	if (value === null || value === undefined) return undefined;
	if (!isMap(value)) return `cannot restore struct from: ${goKind(value)}`;
	for (const field of type.fields.values()) {
		const complaint = fieldComplaint(field, value[field.name]);
		if (complaint !== undefined) return complaint;
	}
	return undefined;
}

function fieldComplaint({ shape, type }: FieldSchema, value: unknown): string | undefined {
	if (value === null || value === undefined) return undefined;
	if (shape === 'single') return complaintOf(type, value);
	const fits = shape === 'list' ? Array.isArray(value) : isMap(value);
	if (!fits) return `cannot restore ${shape === 'list' ? 'slice' : 'map'} from ${goKind(value)}`;
	return firstOf(Object.values(value as object), (inner) => complaintOf(type, inner));
}

function complaintOf(type: TypeSchema, value: unknown): string | undefined {
	if (value === null || value === undefined) return undefined;
	switch (type.form) {
		case 'struct':
			return unstructuredComplaint(type, value);
		case 'encoded':
			return encodedComplaint(type, value);
		case 'scalar':
			return scalarComplaint(type, value);
	}
}

/** These read JSON by themselves, and do not know where they stand. */
function encodedComplaint({ encoding }: EncodedType, value: unknown): string | undefined {
	const wants = (type: string): string => {
		const given = type === 'int32' && typeof value === 'number' ? `number ${value}` : jsonKind(value);
		return `json: cannot unmarshal ${given} into Go value of type ${type}`;
	};
	switch (encoding) {
		case 'time':
		case 'microTime':
		case 'duration':
			return typeof value === 'string' ? undefined : wants('string');
		case 'intOrString':
			return typeof value === 'string' || goKind(value) === 'int64' ? undefined : wants('int32');
		default:
			return undefined;
	}
}

function scalarComplaint({ scalar, name }: ScalarType, value: unknown): string | undefined {
	const given = goKind(value);
	switch (scalar) {
		case 'any':
			return undefined;
		case 'bytes':
			if (given === 'string') return bytesComplaint(value as string);
			if (given !== 'slice') return `cannot restore slice from ${given}`;
			return (value as unknown[]).every((one) => goKind(one) === 'int64') ? undefined : 'unrecognized type: uint8';
		case 'string':
			// Go converts a number to a string of that character, which the converter refuses in words of its own.
			return given === 'string'
				? undefined
				: given === 'int64'
					? `cannot convert int64 to ${shortName(name)}`
					: 'unrecognized type: string';
		case 'bool':
			return given === 'bool' ? undefined : 'unrecognized type: bool';
		case 'int32':
		case 'int64':
			return given === 'int64'
				? undefined
				: given === 'float64'
					? `cannot convert float64 to ${shortName(name)}`
					: `unrecognized type: ${scalar}`;
		case 'float64':
			return given === 'int64' || given === 'float64' ? undefined : 'unrecognized type: float64';
	}
}

/** Bytes go through JSON after all. */
function bytesComplaint(text: string): string | undefined {
	const complaint = base64Complaint(text);
	return complaint === undefined ? undefined : `error decoding from json: ${complaint}`;
}

/** "core/v1.Protocol" is "v1.Protocol". */
function shortName(name: string): string {
	return name.slice(name.lastIndexOf('/') + 1);
}

function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
	for (const item of items) {
		const found = find(item);
		if (found !== undefined) return found;
	}
	return undefined;
}

function isMap(value: unknown): value is Json {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
