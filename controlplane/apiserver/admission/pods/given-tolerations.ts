/** Tolerations as admins write them down, in annotations and configurations: read as upstream's type, what it does not know is dropped. Pure. */
import { canonicalObject } from '../../../../api/codec/canonical.ts';
import { jsonSyntaxError } from '../../../../api/codec/json-syntax.ts';
import { parseSentJson } from '../../../../api/codec/json-text.ts';
import { jsonKind } from '../../../../api/codec/mismatch.ts';
import type { Toleration } from '../../../../api/gen/types.ts';
import { typeNamed, type StructType } from '../../../../api/schema.ts';
import { AppError } from '../../../../base/errors.ts';

/** A JSON list; null is an empty one. AppError InvalidArgument in the words of Go's JSON package. */
export function parseTolerations(text: string): readonly Toleration[] {
	let value: unknown;
	try {
		value = parseSentJson(text);
	} catch (cause) {
		throw new AppError('InvalidArgument', jsonSyntaxError(text), { cause });
	}
	if (value === null) return [];
	if (!Array.isArray(value)) throw misfit(value, '[]v1.Toleration');
	return value.map(tolerationOf);
}

/** One of them, parsed; null is the empty one. AppError InvalidArgument. */
export function tolerationOf(value: unknown): Toleration {
	if (value === null) return {};
	if (typeof value !== 'object' || Array.isArray(value)) throw misfit(value, 'v1.Toleration');
	return canonicalObject(typeNamed('core/v1.Toleration') as StructType, { ...value }, { unknown: () => {} });
}

function misfit(value: unknown, type: string): AppError {
	return new AppError('InvalidArgument', `json: cannot unmarshal ${jsonKind(value)} into Go value of type ${type}`);
}
