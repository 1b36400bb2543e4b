/** The continue token of a list, as upstream writes and reads it (apiserver storage/continue.go). Pure. */
import { normalize } from 'node:path/posix';
import { jsonSyntaxError } from '../../../api/codec/json-syntax.ts';
import { jsonKind } from '../../../api/codec/mismatch.ts';
import { badRequest, type StatusError } from '../../../api/status.ts';

/** Where the next page starts, and at which revision all pages are read. */
export interface Continue {
	/** -1: the newest. */
	readonly revision: bigint;
	/** Below the list's prefix. */
	readonly after: string;
}

const VERSION = 'meta.k8s.io/v1';
const MAX_INT64 = 2 ** 63;

export function encodeContinue({ revision, after }: Continue): string {
	return Buffer.from(JSON.stringify({ v: VERSION, rv: Number(revision), start: `${after}\u0000` })).toString('base64url');
}

/** StatusError BadRequest. */
export function decodeContinue(token: string): Continue {
	const at = corruptAt(Buffer.from(token));
	if (at !== undefined) throw refused(`: illegal base64 data at input byte ${at}`);
	const { v, rv, start } = fieldsOf(Buffer.from(token, 'base64url'));
	if (v !== VERSION) throw refused(`: server does not recognize this encoded version ${v}`);
	if (rv === 0) throw refused(`: incorrect encoded start resourceVersion (version ${VERSION})`);
	if (start === '') throw refused(`: encoded start key empty (version ${VERSION})`);
	// It stays below its list.
	const key = start.startsWith('/') ? start : `/${start}`;
	if (normalize(key) !== key || (key.endsWith('/') && key !== '/')) throw refused(`: ${start}`);
	return { revision: BigInt(rv), after: key.slice(1).replace(/\0$/, '') };
}

function refused(why: string): StatusError {
	return badRequest(`invalid continue token: continue key is not valid${why}`);
}

/** Where the text is no base64 for URLs without padding, by Go's count: its first byte that is none, or the last one that is left over. */
function corruptAt(bytes: Uint8Array): number | undefined {
	let digits = 0;
	for (const [i, byte] of bytes.entries()) {
		const char = String.fromCharCode(byte);
		if (char === '\n' || char === '\r') continue;
		if (!/[\w-]/.test(char)) return i;
		digits++;
	}
	return digits % 4 === 1 ? bytes.length - 1 : undefined;
}

/** What is absent or null is Go's zero. */
function fieldsOf(bytes: Buffer): { readonly v: string; readonly rv: number; readonly start: string } {
	let parsed: unknown;
	try {
		parsed = JSON.parse(bytes.toString());
	} catch {
		throw refused(`: ${jsonSyntaxError(bytes.toString(), bytes)}`);
	}
	if (parsed !== null && (typeof parsed !== 'object' || Array.isArray(parsed)))
		throw refused(`: json: cannot unmarshal ${jsonKind(parsed)} into Go value of type storage.continueToken`);
	const { v, rv, start } = (parsed ?? {}) as Readonly<Record<string, unknown>>;
	return { v: text('v', v), rv: integer(rv), start: text('start', start) };
}

function text(field: string, value: unknown): string {
	if (typeof value !== 'string' && value !== undefined && value !== null) throw mismatch(jsonKind(value), field, 'string');
	return value ?? '';
}

function integer(value: unknown): number {
	if (value === undefined || value === null) return 0;
	if (typeof value !== 'number') throw mismatch(jsonKind(value), 'rv', 'int64');
	if (!Number.isInteger(value) || Math.abs(value) >= MAX_INT64) throw mismatch(`number ${value}`, 'rv', 'int64');
	return value;
}

function mismatch(found: string, field: string, type: string): StatusError {
	return refused(`: json: cannot unmarshal ${found} into Go struct field continueToken.${field} of type ${type}`);
}
