/** The body of a JSON, merge or strategic patch, read as strictly as asked: upstream decodes it once for what stands twice in it, with texts of its own. */
import { jsonSyntaxError } from '../../../api/codec/json-syntax.ts';
import { overflowError, parseSentJson, parseTypedJson, repeatedKeys } from '../../../api/codec/json-text.ts';
import { jsonKind } from '../../../api/codec/mismatch.ts';
import { badRequest } from '../../../api/status.ts';
import type { AskedPatch } from './patch-request.ts';

export interface PatchDocument {
	readonly value: unknown;
	/** What strict decoding complains about: keys that stand twice, unknown fields of operations. */
	readonly strict: readonly string[];
}

const TEXT_FIELDS = new Set(['op', 'path', 'from']);
const OPERATION_FIELDS = new Set([...TEXT_FIELDS, 'value']);

export function readPatchDocument({ type, bytes, options }: AskedPatch): PatchDocument {
	const text = Buffer.from(bytes).toString();
	const strictly = options.fieldValidation !== 'Ignore';
	const refused = (why: string): Error => badRequest(type !== 'strategic' && strictly ? `error decoding patch: ${why}` : why);
	let value: unknown;
	try {
		// A strategic patch is read into a map first, in which a whole number is one however it was written.
		value = type === 'strategic' ? parseSentJson(text) : parseTypedJson(text);
	} catch {
		throw type === 'merge' && !strictly ? NO_MERGE_PATCH() : refused(jsonSyntaxError(text));
	}
	const overflow = overflowError(text, type === 'json' ? 'struct field jsonPatchOp.value' : 'value');
	if (overflow !== undefined) throw refused(overflow);
	const complaint = type === 'json' ? operationsComplaint(value, strictly) : mapComplaint(value);
	if (type === 'merge' && (value === null || (!strictly && complaint !== undefined && !Array.isArray(value)))) throw NO_MERGE_PATCH();
	if (complaint !== undefined && (strictly || type !== 'merge')) throw refused(complaint);
	if (!strictly) return { value, strict: [] };
	const repeated = [...new Set(repeatedKeys(text, value))].map((path) => `duplicate field ${JSON.stringify(path)}`);
	if (type !== 'json') return { value, strict: repeated };
	return { value, strict: [...repeated, ...unknownFields(value)].map((problem) => `json patch ${problem}`) };
}

/** All that the merge library says of what it cannot read. */
const NO_MERGE_PATCH = (): Error => badRequest('Invalid JSON Patch');

function mapComplaint(value: unknown): string | undefined {
	if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined;
	return `json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`;
}

/** Strictly, operations are decoded into a struct of texts; else into maps that nobody looks into yet. */
function operationsComplaint(value: unknown, strictly: boolean): string | undefined {
	const [list, one] = strictly ? ['[]handlers.jsonPatchOp', 'handlers.jsonPatchOp'] : ['jsonpatch.Patch', 'jsonpatch.Operation'];
	const refused = (given: unknown, type: string): string => `json: cannot unmarshal ${jsonKind(given)} into Go ${type}`;
	if (value === null) return undefined;
	if (!Array.isArray(value)) return refused(value, `value of type ${list}`);
	for (const operation of value as unknown[]) {
		if (operation === null) continue;
		if (typeof operation !== 'object' || Array.isArray(operation)) return refused(operation, `value of type ${one}`);
		for (const [key, given] of strictly ? Object.entries(operation) : [])
			if (TEXT_FIELDS.has(key) && given !== null && typeof given !== 'string')
				return refused(given, `struct field jsonPatchOp.${key} of type string`);
	}
	return undefined;
}

function unknownFields(operations: unknown): readonly string[] {
	if (!Array.isArray(operations)) return [];
	return operations.flatMap((operation: unknown, i) =>
		Object.keys((operation ?? {}) as object)
			.filter((key) => !OPERATION_FIELDS.has(key))
			.map((key) => `unknown field ${JSON.stringify(`[${i}].${key}`)}`),
	);
}
