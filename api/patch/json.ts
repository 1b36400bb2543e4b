/**
 * JSON patch (RFC 6902) as the API server applies it. It is more lenient than the RFC: `replace`, `copy` and `test: null` accept a missing key of
 * an object, negative indexes count from the end, and whatever stands before the first slash of a path is ignored.
 */
import { AppError } from '../../base/errors.ts';
import { isValueTooDeep } from '../codec/depth.ts';
import { FloatLiteral } from '../codec/float-literal.ts';
import { goQuote } from '../go-quote.ts';
import { sameJson } from '../same-json.ts';
import { badRequest, StatusError } from '../status.ts';
import { setOwn } from '../own-field.ts';

type Json = Record<string, unknown>;
type Container = Json | unknown[];

interface Target {
	readonly container: Container;
	readonly key: string;
}

/** The most operations of one patch (apiserver handlers: maxJSONPatchOperations). */
const MAX_OPERATIONS = 10_000;
/** What all copies together may add: as much as a body may have (apiserver config: jsonpatch.AccumulatedCopySizeLimit). */
const MAX_COPIED = 3 * 1024 * 1024;

/** The current value with the patch on it, keys of what it touches sorted as Go writes maps; neither is changed. StatusError BadRequest for what is no patch, Invalid for one that does not apply. */
export function applyJsonPatch(current: unknown, patch: unknown): unknown {
	if (patch === null) return current;
	if (!Array.isArray(patch))
		throw badRequest(`error decoding patch: json: cannot unmarshal ${kindOf(patch)} into Go value of type []handlers.jsonPatchOp`);
	if (patch.length > MAX_OPERATIONS) throw tooMany(patch.length);
	const document = structuredClone(current) as Container;
	const patching: Patching = { document, opened: new Set<Container>([document]), copied: 0 };
	try {
		for (const operation of patch as unknown[]) perform(patching, operation);
		if (isValueTooDeep(patching.document)) throw new PatchError('the result nests too deep');
	} catch (error) {
		if (error instanceof PatchError) throw rejected(error);
		throw error;
	}
	for (const container of patching.opened) if (!Array.isArray(container)) sortKeys(container);
	return patching.document;
}

interface Patching {
	/** Replaced as a whole by `replace` of the empty path. */
	document: Container;
	/** Everything on the way to what was patched. */
	readonly opened: Set<Container>;
	/** Length of what was copied so far. */
	copied: number;
}

function sortKeys(object: Json): void {
	const entries = Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1));
	for (const [key] of entries) delete object[key];
	for (const [key, value] of entries) setOwn(object, key, value);
}

const MISSING = 'missing value';
const TEST_FAILED = 'failed: test failed';

class PatchError extends AppError {
	constructor(message: string) {
		super('InvalidArgument', message);
	}
}

/** What is wrong with a patch that did not apply, for those who say it; undefined: another error. */
export function patchFault(error: unknown): { readonly message: string; readonly isTest: boolean } | undefined {
	const cause = error instanceof StatusError ? error.cause : error;
	return cause instanceof PatchError ? { message: cause.message, isTest: cause.message.endsWith(TEST_FAILED) } : undefined;
}

/** Upstream says no more than this of a patch that does not apply. */
export function rejected(cause?: Error): StatusError {
	const message = 'the server rejected our request due to an error in our request';
	return new StatusError({ metadata: {}, status: 'Failure', message, reason: 'Invalid', details: {}, code: 422 }, { cause });
}

function tooMany(count: number): StatusError {
	const message = `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${count}`;
	return new StatusError({ metadata: {}, status: 'Failure', message, reason: 'RequestEntityTooLarge', code: 413 });
}

function kindOf(value: unknown): string {
	return value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value;
}

function perform(patching: Patching, operation: unknown): void {
	if (!isContainer(operation) || Array.isArray(operation)) throw new PatchError('Unexpected kind: unknown');
	const { op, path, from, value = null } = operation;
	const missing = (what: string, name: unknown): string => `${String(op)} operation does not apply: ${what}: ${String(name)}`;
	switch (op) {
		case 'add': {
			const target = find(patching, path, missing('doc is missing path', `"${String(path)}"`));
			return within(`error in add for path: '${String(path)}'`, () => add(target, cloned(value)));
		}
		case 'remove': {
			const target = find(patching, path, missing('doc is missing path', `"${String(path)}"`));
			return within(`error in remove for path: '${String(path)}'`, () => remove(target));
		}
		case 'replace': {
			if (path === '') {
				if (!isContainer(value)) throw new PatchError('replace operation value must be object or array: %!w(<nil>)');
				patching.document = cloned(value) as Container;
				return;
			}
			const target = find(patching, path, missing('doc is missing path', path));
			if (isRefused(() => get(target))) throw new PatchError(`${missing('doc is missing key', path)}: ${MISSING}`);
			return within(`error in remove for path: '${String(path)}'`, () => set(target, cloned(value)));
		}
		case 'move': {
			const source = find(patching, from, missing('doc is missing from path', from));
			const moved = within(`error in move for path: '${source.key}'`, () => {
				const found = get(source);
				remove(source);
				return found;
			});
			const target = find(patching, path, missing('doc is missing destination path', path));
			return within(`error in move for path: '${String(path)}'`, () => add(target, moved));
		}
		case 'copy': {
			const source = find(patching, from, missing('doc is missing from path', from));
			const found = within(`error in copy for from: '${String(from)}'`, () => get(source));
			const target = find(patching, path, missing('doc is missing destination path', path));
			const copied = copyOf(patching, found ?? null);
			return within('error while adding value during copy', () => add(target, copied));
		}
		case 'test': {
			const target = path === '' ? undefined : find(patching, path, missing('is missing path', path));
			const found = target === undefined ? patching.document : within(`error in test for path: '${String(path)}'`, () => get(target));
			if (!sameJson(found ?? null, value)) throw new PatchError(`testing value ${String(path)} ${TEST_FAILED}`);
			return;
		}
		default:
			throw new PatchError(`Unexpected kind: ${String(op)}`);
	}
}

/** Says where it happened. */
function within<T>(where: string, act: () => T): T {
	try {
		return act();
	} catch (error) {
		throw error instanceof PatchError ? new PatchError(`${where}: ${error.message}`) : error;
	}
}

function isRefused(act: () => unknown): boolean {
	try {
		act();
		return false;
	} catch (error) {
		if (error instanceof PatchError) return true;
		throw error;
	}
}

function copyOf(patching: Patching, value: unknown): unknown {
	if (isValueTooDeep(value)) throw new PatchError('the value to copy nests too deep');
	patching.copied += JSON.stringify(value).length;
	if (patching.copied > MAX_COPIED)
		throw new PatchError(`Unable to copy, the accumulated size increase of copy is ${patching.copied}, exceeding the limit ${MAX_COPIED}`);
	return cloned(value);
}

function cloned(value: unknown): unknown {
	if (!isContainer(value)) return value;
	if (Array.isArray(value)) return value.map(cloned);
	const copy: Json = {};
	for (const key of Object.keys(value)) setOwn(copy, key, cloned(value[key]));
	return copy;
}

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null && !(value instanceof FloatLiteral);

/** @param missing what is said where there is no such place */
function find({ document, opened }: Patching, path: unknown, missing: string): Target {
	if (typeof path !== 'string') throw new PatchError(`operation missing path field: ${MISSING}`);
	const nowhere = (): PatchError => new PatchError(`${missing}: ${MISSING}`);
	const parts = path
		.split('/')
		.slice(1)
		.map((p) => p.replaceAll('~1', '/').replaceAll('~0', '~'));
	const key = parts.pop();
	if (key === undefined) throw nowhere();
	let container = document;
	for (const part of parts) {
		const place = { container, key: part };
		const next = isRefused(() => get(place)) ? undefined : get(place);
		if (!isContainer(next)) throw nowhere();
		container = next;
		opened.add(container);
	}
	return { container, key };
}

const INTEGER = /^[+-]?\d+$/;
const notInteger = (key: string): string => `strconv.Atoi: parsing ${goQuote(key)}: invalid syntax`;

/** An index into the list; `length` itself is allowed where something is added. */
function indexOf(key: string, end: number): number {
	if (!INTEGER.test(key)) throw new PatchError(notInteger(key));
	const given = Number(key);
	const index = given < 0 ? given + end : given;
	if (index < 0 || index >= end) throw new PatchError(`Unable to access invalid index: ${given}: invalid index referenced`);
	return index;
}

function get({ container, key }: Target): unknown {
	if (Array.isArray(container)) return container[indexOf(key, container.length)];
	return Object.hasOwn(container, key) ? container[key] : undefined;
}

function set({ container, key }: Target, value: unknown): void {
	if (Array.isArray(container)) container[indexOf(key, container.length)] = value;
	else setOwn(container, key, value);
}

function add({ container, key }: Target, value: unknown): void {
	if (!Array.isArray(container)) setOwn(container, key, value);
	else if (key === '-') container.push(value);
	else {
		if (!INTEGER.test(key)) throw new PatchError(`value was not a proper array index: '${key}': ${notInteger(key)}`);
		container.splice(indexOf(key, container.length + 1), 0, value);
	}
}

function remove({ container, key }: Target): void {
	if (Array.isArray(container)) container.splice(indexOf(key, container.length), 1);
	else if (Object.hasOwn(container, key)) delete container[key];
	else throw new PatchError(`Unable to remove nonexistent key: ${key}: ${MISSING}`);
}
