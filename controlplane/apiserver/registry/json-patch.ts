/** JSON patch (RFC 6902) and JSON merge patch (RFC 7396), as lenient and as terse as upstream. Pure. */
import { applyPatch, type Operation } from 'rfc6902';
import { badRequest, StatusError } from '../../../api/status.ts';

const OPERATIONS = ['add', 'remove', 'replace', 'move', 'copy', 'test'];

/** Changes `document` and gives it back. */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
	if (!Array.isArray(patch))
		throw badRequest(`error decoding patch: json: cannot unmarshal ${jsonKind(patch)} into Go value of type []handlers.jsonPatchOp`);
	const operations = patch as (Operation & { value?: unknown })[];
	for (const operation of operations) {
		if (typeof operation.path !== 'string' || !/^(\/|$)/.test(operation.path) || !OPERATIONS.includes(operation.op)) throw rejected();
		const lenient = upstreamReading(document, operation);
		if (lenient === undefined) continue;
		const [problem] = applyPatch(document, [lenient]);
		if (problem !== null && problem !== undefined) throw rejected();
	}
	return document;
}

/** A replace of a missing key of a present object adds it; a test of a missing key for null holds. Undefined: nothing to do. */
function upstreamReading(document: unknown, operation: Operation): Operation | undefined {
	if (operation.op !== 'replace' && operation.op !== 'test') return operation;
	const steps = operation.path
		.split('/')
		.slice(1)
		.map((s) => s.replaceAll('~1', '/').replaceAll('~0', '~'));
	const last = steps.pop();
	let at: unknown = document;
	for (const step of steps) at = (at as Record<string, unknown> | undefined | null)?.[step];
	if (last === undefined || typeof at !== 'object' || at === null || Array.isArray(at) || Object.hasOwn(at, last)) return operation;
	if (operation.op === 'replace') return { op: 'add', path: operation.path, value: operation.value as unknown };
	return operation.value === null ? undefined : operation;
}

function rejected(): StatusError {
	return new StatusError({
		metadata: {},
		status: 'Failure',
		message: 'the server rejected our request due to an error in our request',
		reason: 'Invalid',
		details: {},
		code: 422,
	});
}

function jsonKind(value: unknown): string {
	return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value;
}

export function mergePatch(current: unknown, patch: unknown): unknown {
	if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
	const out: Record<string, unknown> = typeof current === 'object' && current !== null && !Array.isArray(current) ? { ...current } : {};
	for (const [key, value] of Object.entries(patch)) {
		if (value === null) delete out[key];
		else out[key] = mergePatch(out[key], value);
	}
	return out;
}
