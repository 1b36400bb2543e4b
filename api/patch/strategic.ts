/**
 * Strategic merge patch: lists merge by the merge key that the contract gives them; directives ($patch, $retainKeys,
 * $setElementOrder, $deleteFromPrimitiveList) say what plain merging cannot. Follows apimachinery's strategicpatch.
 */
import type { FieldSchema, StructType } from '../schema.ts';
import { badRequest, StatusError } from '../status.ts';
import { goText } from './strategic-go-text.ts';
import { inOrder, partition } from './strategic-order.ts';

export type Fields = Record<string, unknown>;

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_PRIMITIVES = '$deleteFromPrimitiveList/';
const SET_ORDER = '$setElementOrder';

/** The patched object; neither argument is changed. Throws StatusError with upstream's texts. */
export function strategicMergePatch(type: StructType | undefined, original: Fields, patch: Fields): Fields {
	return mergeMap(type, structuredClone(original), structuredClone(patch));
}

function mergeMap(type: StructType | undefined, original: Fields, patch: Fields): Fields {
	const directive = patch[DIRECTIVE];
	if (directive !== undefined) {
		if (directive === 'delete') return {};
		if (directive !== 'replace' && directive !== 'merge') throw badPatchType(directive, patch);
		delete patch[DIRECTIVE];
		if (directive === 'replace') return patch;
	}
	retainKeys(original, patch);
	setOrders(type, original, patch);
	for (const [givenKey, value] of Object.entries(patch)) {
		const deletes = givenKey.startsWith(DELETE_PRIMITIVES);
		const key = deletes ? givenKey.slice(DELETE_PRIMITIVES.length) : givenKey;
		if (value === null) {
			delete original[key];
			continue;
		}
		const current = original[key];
		if (!Object.hasOwn(original, key) || formOf(current) !== formOf(value)) {
			if (!deletes) original[key] = clean(value);
			continue;
		}
		const field = type?.fields.get(key);
		if (Array.isArray(current)) original[key] = mergeField(field, current, value as unknown[], deletes);
		else if (isMap(current))
			original[key] = strategyOf(field) === 'replace' ? clean(value) : mergeMap(structOf(field), current, value as Fields);
		else original[key] = value;
	}
	return original;
}

function mergeField(field: FieldSchema | undefined, original: unknown[], patch: unknown[], deletes: boolean): unknown[] {
	if (strategyOf(field) !== 'merge' || field === undefined) return clean(patch) as unknown[];
	if (original.length === 0 && patch.length === 0) return original;
	const first = original[0] ?? patch[0];
	if (!isMap(first)) {
		if (deletes) return original.filter((item) => !patch.includes(item));
		const merged = [...new Set([...original, ...patch])];
		return inOrder(partition(merged, patch, ''), patch, original, '');
	}
	const key = field.patchMergeKey ?? '';
	if (key === '') throw internal(`cannot merge lists without merge key for ${field.name}`);
	const merged = mergeItems(field, key, original as Fields[], patch as Fields[]);
	return inOrder(partition(merged, patch, key), patch, original, key);
}

function mergeItems(field: FieldSchema, key: string, original: readonly Fields[], patch: readonly Fields[]): Fields[] {
	const { kept, rest } = special(key, original, patch);
	const type = structOf(field);
	const out = [...kept];
	for (const item of rest) {
		const value = item[key];
		if (value === undefined) throw noMergeKey(item, key);
		const at = out.findIndex((other) => other[key] === value);
		const found = out[at];
		if (found === undefined) out.push(clean(item) as Fields);
		else out[at] = mergeMap(type, found, item);
	}
	return out;
}

/** Items that carry a directive: deletions, or the word that the patch replaces the whole list. */
function special(key: string, original: readonly Fields[], patch: readonly Fields[]): { kept: readonly Fields[]; rest: readonly Fields[] } {
	let kept = original;
	let replace = false;
	const rest: Fields[] = [];
	for (const item of patch) {
		const directive = item[DIRECTIVE];
		if (directive === undefined) rest.push(item);
		else if (directive === 'delete') {
			const value = item[key];
			if (value === undefined) throw noMergeKey(item, key);
			kept = kept.filter((other) => other[key] !== value);
		} else if (directive === 'replace') replace = true;
		else if (directive === 'merge') throw internal('merging lists cannot yet be specified in the patch');
		else throw badPatchType(directive, item);
	}
	return replace ? { kept: rest, rest: [] } : { kept, rest };
}

/** Drops every key that the patch does not list. */
function retainKeys(original: Fields, patch: Fields): void {
	const keys = patch[RETAIN_KEYS];
	if (keys === undefined) return;
	delete patch[RETAIN_KEYS];
	const bad = (): Error => badRequest('invalid patch format of retainKeys');
	if (!Array.isArray(keys)) throw bad();
	const retained = new Set<unknown>(keys);
	for (const [key, value] of Object.entries(patch))
		if (value !== null && !key.startsWith(DELETE_PRIMITIVES) && !key.startsWith(SET_ORDER) && !retained.has(key)) throw bad();
	for (const key of Object.keys(original)) if (!retained.has(key)) delete original[key];
}

/** Merges each list that comes with its order, and takes both out of the patch. */
function setOrders(type: StructType | undefined, original: Fields, patch: Fields): void {
	for (const directive of Object.keys(patch).filter((key) => key.startsWith(`${SET_ORDER}/`))) {
		const order = patch[directive];
		delete patch[directive];
		if (!Array.isArray(order)) throw badRequest('invalid patch format of setElementOrder list');
		const key = directive.slice(SET_ORDER.length + 1);
		const field = type?.fields.get(key);
		const mergeKey = field?.patchMergeKey ?? '';
		const before = original[key];
		const change = patch[key];
		if (Array.isArray(change)) checkOrder(change, order, mergeKey);
		if (!Array.isArray(before) && !Array.isArray(change)) continue;
		const old = Array.isArray(before) ? before : [];
		const merged = Array.isArray(change)
			? Array.isArray(before)
				? mergeField(field, old, change, false)
				: (clean(change) as unknown[])
			: old;
		original[key] = inOrder(partition(merged, order, mergeKey), order, old, mergeKey);
		delete patch[key];
	}
}

function checkOrder(patch: readonly unknown[], order: readonly unknown[], key: string): void {
	const items = key === '' ? patch : patch.filter((item) => !isMap(item) || item[DIRECTIVE] !== 'delete');
	const value = (item: unknown): unknown => (key === '' ? item : (item as Fields)[key]);
	let at = 0;
	for (const wanted of order) if (at < items.length && value(items[at]) === value(wanted)) at++;
	if (at < items.length)
		throw internal(`The order in patch list:\n${goText(patch)}\n doesn't match ${SET_ORDER} list:\n${goText(order)}\n`);
}

/** A value taken over as it is, without nulls in maps and without directives. */
function clean(value: unknown): unknown {
	if (Array.isArray(value)) return value.filter((item) => !isMap(item) || item[DIRECTIVE] === undefined).map(clean);
	if (!isMap(value)) return value;
	if (value[DIRECTIVE] === 'delete') return {};
	const out: Fields = {};
	for (const [key, inner] of Object.entries(value)) if (inner !== null && !isDirective(key)) out[key] = clean(inner);
	return out;
}

function isDirective(key: string): boolean {
	return key === DIRECTIVE || key === RETAIN_KEYS || key.startsWith(DELETE_PRIMITIVES) || key.startsWith(`${SET_ORDER}/`);
}

function strategyOf(field: FieldSchema | undefined): string {
	return field?.patchStrategy.find((strategy) => strategy !== 'retainKeys') ?? '';
}

function structOf(field: FieldSchema | undefined): StructType | undefined {
	return field?.type.form === 'struct' && field.shape !== 'map' ? field.type : undefined;
}

function formOf(value: unknown): string {
	return Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;
}

function isMap(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function internal(message: string): StatusError {
	return new StatusError({ metadata: {}, status: 'Failure', message, code: 500 });
}

function badPatchType(directive: unknown, map: Fields): StatusError {
	return internal(`unknown patch type: ${goText(directive)} in map: ${goText(map)}`);
}

function noMergeKey(map: Fields, key: string): StatusError {
	return internal(`map: ${goText(map)} does not contain declared merge key: ${key}`);
}
