/** What mutating policies make: `Object{…}` with nested `Object.field{…}`, `JSONPatch{…}`, and jsonpatch.escapeKey. */
import { EvalError } from '../errors.ts';
import { overload, type Overload } from '../functions.ts';
import { DYN, listOf, objectOf, opaque, STRING, type Type } from '../types.ts';
import { ListValue, MapValue, type Value } from '../values.ts';

const ROOT = 'Object';

const JSON_PATCH_FIELDS = objectOf('JSONPatch', { op: STRING, path: STRING, from: STRING, value: DYN });
/** Upstream's has any field; those it does not know are of no type, which no value fits. */
const JSON_PATCH: Type = { ...JSON_PATCH_FIELDS, field: (name) => JSON_PATCH_FIELDS.field(name) ?? opaque('') };
export const JSON_PATCHES: Type = listOf(JSON_PATCH);
export const OBJECT: Type = { kind: 'object', name: ROOT, field: () => DYN };

/** The message types an expression may construct; what fields an object has is known only when it is applied. */
export function mutationStruct(name: string): Type | undefined {
	if (name === 'JSONPatch') return JSON_PATCH;
	return name === ROOT || name.startsWith(`${ROOT}.`) ? { kind: 'object', name, field: () => DYN } : undefined;
}

/** EvalError where a nested object's type is not the path of its field: `Object.spec{…}` belongs into `spec`. */
export function checkObjectNames(value: Value, path = ROOT): void {
	if (value instanceof ListValue) {
		for (const item of value) checkObjectNames(item, path);
		return;
	}
	if (!(value instanceof MapValue)) return;
	const isObject = value.typeName === ROOT || value.typeName.startsWith(`${ROOT}.`);
	if (isObject && value.typeName !== path)
		throw new EvalError(
			`unexpected type name ${JSON.stringify(value.typeName)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`,
		);
	for (const key of value.keys()) {
		const inner = value.get(key);
		if (inner !== undefined && typeof key === 'string') checkObjectNames(inner, isObject ? `${path}.${key}` : path);
	}
}

export const jsonPatch: readonly Overload[] = [
	overload('jsonpatch_escape_key', 'jsonpatch.escapeKey(string): string', (text) =>
		(text as string).replaceAll('~', '~0').replaceAll('/', '~1'),
	),
];
