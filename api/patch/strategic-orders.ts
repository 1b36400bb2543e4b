/** $setElementOrder: merges each list that comes with its order, puts it in that order, and takes both out of the patch. */
import { badRequest } from '../status.ts';
import { failure, noMergeKey, notMap } from './strategic-errors.ts';
import { goText } from '../go-values.ts';
import { isListOfMaps, mergeList, ordered, type MergeMaps } from './strategic-lists.ts';
import { listField, type MergeType } from './strategic-schema.ts';
import { asList, DIRECTIVE, isMap, SET_ORDER, withoutDirectives, type Fields } from './strategic-values.ts';
import { setOwn } from '../own-field.ts';

export function setOrders(of: MergeType, original: Fields, patch: Fields, mergeMaps: MergeMaps): void {
	for (const directive of Object.keys(patch).filter((key) => key.startsWith(SET_ORDER))) {
		const given = patch[directive];
		delete patch[directive];
		const order = asList(given);
		const slash = directive.indexOf('/');
		if (slash !== SET_ORDER.length) throw badRequest('invalid patch format of setElementOrder list');
		const key = directive.slice(slash + 1);
		const before = Object.hasOwn(original, key) ? asList(original[key]) : undefined;
		const change = Object.hasOwn(patch, key) ? asList(patch[key]) : undefined;
		const field = listField(of, key);
		checkOrder(change ?? [], order, field.mergeKey);
		let merged: unknown[];
		if (before === undefined) {
			if (change === undefined) continue;
			merged = withoutDirectives(change) as unknown[];
		} else if (change === undefined) merged = before;
		else merged = field.strategy === 'merge' ? mergeList(field, before, change, false, mergeMaps) : change;
		isListOfMaps(before ?? [], change ?? []);
		setOwn(original, key, ordered(merged, order, before ?? [], field.mergeKey));
		delete patch[key];
	}
}

/** The patch's items, deletions aside, must stand in the order in the same order. */
function checkOrder(patch: readonly unknown[], order: readonly unknown[], key: string): void {
	if (order.length === 0 || patch.length === 0) return;
	const items = key === '' ? patch : patch.filter((item) => !isMap(item) || item[DIRECTIVE] !== 'delete');
	let at = 0;
	let place = 0;
	while (at < items.length && place < order.length) {
		const item = items[at];
		if (isMap(item) && Object.hasOwn(item, DIRECTIVE)) at++;
		else if (keyOf(item, key) === keyOf(order[place++], key)) at++;
	}
	if (at < items.length && place >= order.length)
		throw failure(`The order in patch list:\n${goText(patch)}\n doesn't match ${SET_ORDER} list:\n${goText(order)}\n`);
}

function keyOf(item: unknown, key: string): unknown {
	if (key === '') return item;
	if (!isMap(item)) throw notMap(item);
	if (!Object.hasOwn(item, key)) throw noMergeKey(item, key);
	return item[key];
}
