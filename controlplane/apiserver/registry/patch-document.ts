/** The body of a JSON, merge or strategic patch, read as strictly as asked: upstream decodes it once for what stands twice in it, with texts of its own. */
import { jsonSyntaxError } from '../../../api/codec/json-syntax.ts';
import { parseJson, repeatedKeys } from '../../../api/codec/json-text.ts';
import { jsonKind } from '../../../api/codec/mismatch.ts';
import { badRequest } from '../../../api/status.ts';
import type { AskedPatch } from './patch-request.ts';

export interface PatchDocument {
	readonly value: unknown;
	/** What strict decoding complains about: keys that stand twice, unknown fields of operations. */
	readonly strict: readonly string[];
}

const OPERATION_FIELDS = new Set(['op', 'path', 'from', 'value']);

export function readPatchDocument({ type, bytes, options }: AskedPatch): PatchDocument {
	const text = Buffer.from(bytes).toString();
	const strictly = options.fieldValidation !== 'Ignore';
	const refused = (why: string): Error => badRequest(type === 'strategic' ? why : `error decoding patch: ${why}`);
	let value: unknown;
	try {
		value = parseJson(text);
	} catch {
		throw refused(jsonSyntaxError(text));
	}
	if (type !== 'json' && value !== null && (typeof value !== 'object' || Array.isArray(value)))
		throw refused(`json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`);
	if (!strictly) return { value, strict: [] };
	const repeated = [...new Set(repeatedKeys(text, value))].map((path) => `duplicate field ${JSON.stringify(path)}`);
	if (type !== 'json') return { value, strict: repeated };
	return { value, strict: [...repeated, ...unknownFields(value)].map((problem) => `json patch ${problem}`) };
}

function unknownFields(operations: unknown): readonly string[] {
	if (!Array.isArray(operations)) return [];
	return operations.flatMap((operation: unknown, i) =>
		Object.keys((operation ?? {}) as object)
			.filter((key) => !OPERATION_FIELDS.has(key))
			.map((key) => `unknown field ${JSON.stringify(`[${i}].${key}`)}`),
	);
}
