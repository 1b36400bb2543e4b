/** Lists of a strategic merge patch: of scalars, merged as sets; of maps, merged by their key, with what directives in them say. */
import { rejected } from './json.ts';
import { badPatchType, failure, goType, noMergeKey, notMap } from './strategic-errors.ts';
import { goText } from './strategic-go-text.ts';
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
		if (deletes) return original.filter((item) => !patch.includes(item));
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
		const found = goType(item);
		type ??= found;
		if (type === '[]interface {}') throw rejected();
		if (found !== type) throw failure(`list element types are not identical: ${goText(lists)}`);
	}
	if (type === undefined) throw failure('no elements in any of the given slices');
	return type === 'map[string]interface {}';
}

/** Named items in the patch's order, the others between them where they stood. */
export function ordered(merged: readonly unknown[], patch: readonly unknown[], original: readonly unknown[], key: string): unknown[] {
	if (key !== '') for (const item of merged) checkKeyed(item, key, patch);
	return inOrder(partition(merged, patch, key), patch, original, key);
}

function checkKeyed(item: unknown, key: string, patch: readonly unknown[]): void {
	if (!isMap(item)) throw notMap(item);
	if (!Object.hasOwn(item, key)) throw noMergeKey(item, key);
	for (const [i, other] of patch.entries()) {
		if (!isMap(other)) throw failure(`value for key ${i} is not a map`);
		if (other[key] === item[key]) return;
	}
}

function mergeItems(
	merge: (original: Fields, patch: Fields) => Fields,
	key: string,
	original: readonly Fields[],
	patch: readonly Fields[],
): Fields[] {
	const out = [...original];
	for (const item of patch) {
		if (!Object.hasOwn(item, key)) throw noMergeKey(item, key);
		const at = out.findIndex((other) => other[key] === item[key]);
		const found = out[at];
		if (found === undefined) out.push(item);
		else out[at] = merge(found, item);
	}
	return out;
}

/** Items that carry a directive: deletions, or the word that the patch replaces the whole list. */
function directed(key: string, original: Fields[], patch: readonly Fields[]): { kept: Fields[]; rest: Fields[] } {
	let kept = original;
	let replace = false;
	const rest: Fields[] = [];
	for (const item of patch) {
		const directive = item[DIRECTIVE];
		if (directive === undefined) rest.push(item);
		else if (directive === 'delete') {
			if (!Object.hasOwn(item, key)) throw noMergeKey(item, key);
			kept = kept.filter((other) => other[key] !== item[key]);
		} else if (directive === 'replace') replace = true;
		else if (directive === 'merge') throw failure('merging lists cannot yet be specified in the patch');
		else throw badPatchType(directive, item);
	}
	return replace ? { kept: rest, rest: [] } : { kept, rest };
}
