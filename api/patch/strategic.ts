/**
 * Strategic merge patch: lists merge by the merge key that the contract gives them; directives ($patch, $retainKeys,
 * $setElementOrder, $deleteFromPrimitiveList) say what plain merging cannot. Follows apimachinery's strategicpatch.
 */
import type { StructType } from '../schema.ts';
import { badPatchType, badRetainKeys, failure } from './strategic-errors.ts';
import { mergeList } from './strategic-lists.ts';
import { setOrders } from './strategic-orders.ts';
import { DIRECTIVE, isMap, SET_ORDER, withoutDirectives, type Fields } from './strategic-values.ts';
import { listField, mergeTypeOf, structField, type MergeType } from './strategic-schema.ts';
import { setOwn } from '../own-field.ts';

const RETAIN_KEYS = '$retainKeys';
const DELETE_PRIMITIVES = '$deleteFromPrimitiveList';

/** The patched object, of which the patch may become a part: what is left of the patch is what errors quote. Throws StatusError with upstream's texts. */
export function strategicMergePatch(type: StructType | undefined, original: Fields, patch: Fields): Fields {
	return mergeMap(mergeTypeOf(type), structuredClone(original), patch);
}

/** Both are used up. */
function mergeMap(of: MergeType, original: Fields, patch: Fields): Fields {
	const directive = patch[DIRECTIVE];
	if (directive !== undefined) {
		if (directive === 'delete') return {};
		if (directive !== 'replace') throw badPatchType(directive, patch);
		delete patch[DIRECTIVE];
		return patch;
	}
	retainKeys(original, patch);
	setOrders(of, original, patch, mergeMap);
	for (const [given, value] of Object.entries(patch)) {
		const deletes = given.startsWith(DELETE_PRIMITIVES);
		const key = deletes ? listNamed(given) : given;
		if (value === null) delete original[key];
		else if (!Object.hasOwn(original, key) || formOf(original[key]) !== formOf(value)) {
			if (!deletes) takeOver(original, key, value);
		} else mergeField(of, original, key, value, deletes);
	}
	return original;
}

function listNamed(directive: string): string {
	const slash = directive.indexOf('/');
	if (slash !== DELETE_PRIMITIVES.length) throw failure('invalid patch format of primitive list');
	return directive.slice(slash + 1);
}

function mergeField(of: MergeType, original: Fields, key: string, value: unknown, deletes: boolean): void {
	const current = original[key];
	if (Array.isArray(current)) {
		const field = listField(of, key);
		const isMerged = field.strategy === 'merge' || deletes;
		setOwn(original, key, isMerged ? mergeList(field, current, value as unknown[], deletes, mergeMap) : value);
	} else if (isMap(current)) {
		const field = structField(of, key);
		setOwn(original, key, field.strategy === 'replace' ? value : mergeMap(field.of, current, value as Fields));
	} else setOwn(original, key, value);
}

/** A new value: without nulls in maps, and without what carries a directive. */
function takeOver(original: Fields, key: string, value: unknown): void {
	dropNulls(value);
	const kept = withoutDirectives(value);
	if (kept === undefined) delete original[key];
	else setOwn(original, key, kept);
}

/** In place. */
function dropNulls(value: unknown): void {
	if (Array.isArray(value)) return value.forEach(dropNulls);
	if (!isMap(value)) return;
	for (const [key, inner] of Object.entries(value))
		if (inner === null) delete value[key];
		else dropNulls(inner);
}

/** Drops every key that the patch does not list. */
function retainKeys(original: Fields, patch: Fields): void {
	const keys = patch[RETAIN_KEYS];
	if (keys === undefined) return;
	delete patch[RETAIN_KEYS];
	if (!Array.isArray(keys)) throw badRetainKeys();
	const retained = new Set<unknown>(keys);
	for (const [key, value] of Object.entries(patch))
		if (value !== null && !key.startsWith(DELETE_PRIMITIVES) && !key.startsWith(SET_ORDER) && !retained.has(key)) throw badRetainKeys();
	for (const key of Object.keys(original)) if (!retained.has(key)) delete original[key];
}

/** Values of one form merge, others replace. */
function formOf(value: unknown): string {
	return Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;
}
