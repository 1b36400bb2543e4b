/** Lists that hold so many items, and each but once (upstream validateSlice, validateSet). */
import { duplicate, tooMany } from '../../field-error.ts';
import type { Errors } from '../rule.ts';

/** All of a list, or only that it is too long. */
export function items<T>(out: Errors, path: string, list: readonly T[], limit: number, check: (at: string, item: T) => void): void {
	if (list.length > limit) out.push(tooMany(path, list.length, limit));
	else for (const [i, item] of list.entries()) check(`${path}[${i}]`, item);
}

/** The same, and then that no key stands twice. */
export function unique<T>(
	out: Errors,
	path: string,
	list: readonly T[],
	limit: number,
	key: (item: T) => string,
	check: (at: string, item: T) => void,
	shown: (item: T) => unknown = key,
): void {
	items(out, path, list, limit, check);
	if (list.length > limit) return;
	const seen = new Set<string>();
	for (const [i, item] of list.entries()) {
		if (seen.has(key(item))) out.push(duplicate(`${path}[${i}]`, shown(item)));
		seen.add(key(item));
	}
}
