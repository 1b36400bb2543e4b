/** Pages of lists: a token is the id of the last entry shown, so that it stays good when that entry or others come and go. Pure. */
import { AppError } from '../../base/errors.ts';
import { isId, type IdKind } from '../ids.ts';

export interface Page<T> {
	readonly entries: readonly T[];
	readonly nextToken: string;
}

/** `all` is sorted by id. Aborted for a token that is none, as the specification has it. */
export function pageOf<T extends { readonly id: string }>(all: readonly T[], kind: IdKind, maxEntries: number, token: string): Page<T> {
	if (maxEntries < 0) throw new AppError('InvalidArgument', `max_entries ${maxEntries} is negative`);
	if (token !== '' && !isId(kind, token)) throw new AppError('Aborted', `starting_token "${token}" is not one of this driver's`);
	const from = token === '' ? 0 : firstAfter(all, token);
	const entries = maxEntries === 0 ? all.slice(from) : all.slice(from, from + maxEntries);
	const more = from + entries.length < all.length;
	return { entries, nextToken: more ? (entries.at(-1)?.id ?? '') : '' };
}

function firstAfter(all: readonly { readonly id: string }[], id: string): number {
	let [low, high] = [0, all.length];
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((all[middle]?.id ?? '') <= id) low = middle + 1;
		else high = middle;
	}
	return low;
}
