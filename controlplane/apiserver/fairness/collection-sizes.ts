/** How much the collections hold, looked up now and then: what a list of one is going to cost. */
import type { Clock } from '../../../base/clock.ts';
import { sizeOf, type Store } from '../../storage/store.ts';
import type { Kinds } from '../registry/kinds.ts';
import type { ResourceInfo } from '../request/request-info.ts';
import type { CollectionSize } from './work-estimate.ts';

const KEPT_MS = 5_000;
/** Objects of one kind are much of a size: a few tell. */
const SAMPLED = 16;

export class CollectionSizes {
	readonly #store: Store;
	readonly #kinds: Kinds;
	readonly #clock: Clock;
	readonly #known = new Map<string, CollectionSize & { readonly at: number }>();

	constructor(store: Store, kinds: Kinds, clock: Clock) {
		this.#store = store;
		this.#kinds = kinds;
		this.#clock = clock;
	}

	/** Undefined: not one of ours. */
	of({ group, version, resource }: ResourceInfo): CollectionSize | undefined {
		const kind = this.#kinds.byPath(group, version, resource);
		if (kind === undefined) return undefined;
		const now = this.#clock.monotonic();
		const known = this.#known.get(kind.prefix);
		if (known !== undefined && now - known.at < KEPT_MS) return known;
		const { entries, remaining } = this.#store.list(kind.prefix, { limit: SAMPLED });
		const bytes = entries.reduce((all, entry) => all + sizeOf(entry.value), 0);
		const size = { objects: entries.length + remaining, averageBytes: entries.length === 0 ? 0 : bytes / entries.length, at: now };
		this.#known.set(kind.prefix, size);
		return size;
	}
}
