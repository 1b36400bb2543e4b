/** Lists of a strategic merge patch: of scalars, merged as sets; of maps, merged by their key, with what directives in them say. */
import { rejected } from './json.ts';
import { badPatchType, failure, noMergeKey, notMap, typeText } from './strategic-errors.ts';
import { goText } from '../go-values.ts';
import { inOrder, partition } from './strategic-order.ts';
import type { FieldMerging, MergeType } from './strategic-schema.ts';
import { DIRECTIVE, isMap, type Fields } from './strategic-values.ts';

/** Merges two items of a list. */
export type MergeMaps = (of: MergeType, original: Fields, patch: Fields) => Fields;

/** @param deletes the patch lists scalars to take out */
export function mergeList(
	{ of, mergeKey }: FieldMerging,
	original: unknown[],
	patch: unknown[],
	deletes: boolean,
	mergeMaps: MergeMaps,
): unknown[] {
	if (original.length === 0 && patch.length === 0) return original;
	if (!isListOfMaps(original, patch)) {
		const gone = new Set(deletes ? patch : []);
		if (deletes) return original.filter((item) => !gone.has(item));
		return ordered([...new Set([...original, ...patch])], patch, original, mergeKey);
	}
	if (mergeKey === '') throw failure(`cannot merge lists without merge key for ${of.kind}`);
	const { kept, rest } = directed(mergeKey, original as Fields[], patch as Fields[]);
	return ordered(
		mergeItems((a, b) => mergeMaps(of, a, b), mergeKey, kept, rest),
		rest,
		kept,
		mergeKey,
	);
}

/** The items of all lists must be of one type, and no lists. */
export function isListOfMaps(...lists: readonly (readonly unknown[])[]): boolean {
	let type: string | undefined;
	for (const item of lists.flat(1)) {
		const found = typeText(item);
		type ??= found;
		if (type === '[]interface {}') throw rejected();
		if (found !== type) throw failure(`list element types are not identical: ${goText(lists)}`);
	}
	if (type === undefined) throw failure('no elements in any of the given slices');
	return type === 'map[string]interface {}';
}

/** Named items in the patch's order, the others between them where they stood. */
export function ordered(merged: readonly unknown[], patch: readonly unknown[], original: readonly unknown[], key: string): unknown[] {
	if (key !== '') checkKeyed(merged, key, patch);
	return inOrder(partition(merged, patch, key), patch, original, key);
}

/** Each item is looked for in the patch from its beginning, where what is no map is in the way of all behind it. */
function checkKeyed(items: readonly unknown[], key: string, patch: readonly unknown[]): void {
	const wrong = patch.findIndex((other) => !isMap(other));
	const readable = (wrong < 0 ? patch : patch.slice(0, wrong)) as readonly Fields[];
	const found = new Set(wrong < 0 ? [] : readable.map((other) => other[key]));
	for (const item of items) {
		if (!isMap(item)) throw notMap(item);
		if (!Object.hasOwn(item, key)) throw noMergeKey(item, key);
		if (wrong >= 0 && !found.has(item[key])) throw failure(`value for key ${wrong} is not a map`);
	}
}

function mergeItems(
	merge: (original: Fields, patch: Fields) => Fields,
	key: string,
	original: readonly Fields[],
	patch: readonly Fields[],
): Fields[] {
	const out = [...original];
	const places = new Map<unknown, number>();
	const place = (item: Fields, at: number): void => {
		if (!places.has(item[key])) places.set(item[key], at);
	};
	for (const [at, item] of out.entries()) place(item, at);
	for (const item of patch) {
		if (!Object.hasOwn(item, key)) throw noMergeKey(item, key);
		const at = places.get(item[key]) ?? out.length;
		const found = out[at];
		out[at] = found === undefined ? item : merge(found, item);
		place(item, at);
	}
	return out;
}

/** Items that carry a directive: deletions, or the word that the patch replaces the whole list. */
function directed(key: string, original: Fields[], patch: readonly Fields[]): { kept: Fields[]; rest: Fields[] } {
	const gone = new Set<unknown>();
	let replace = false;
	const rest: Fields[] = [];
	for (const item of patch) {
		const directive = item[DIRECTIVE];
		if (directive === undefined) rest.push(item);
		else if (directive === 'delete') {
			if (!Object.hasOwn(item, key)) throw noMergeKey(item, key);
			gone.add(item[key]);
		} else if (directive === 'replace') replace = true;
		else if (directive === 'merge') throw failure('merging lists cannot yet be specified in the patch');
		else throw badPatchType(directive, item);
	}
	if (replace) return { kept: rest, rest: [] };
	return { kept: gone.size === 0 ? original : original.filter((other) => !gone.has(other[key])), rest };
}
