/** Keys that change while a store is open: what is written from then on is sealed with the new ones, and what lies under others is stale. */
import type { Sealer } from './sealer.ts';
import type { Sealing } from './sealing.ts';
import type { Transformations } from './transformations.ts';

/** What counts of an entry of the store. */
interface Lying {
	readonly key: string;
	readonly revision: bigint;
	/** `stale`: it was so when it was read. */
	readonly value: { readonly stale?: boolean };
}

/** What a store tells of itself when it is opened. */
interface Owner {
	/** The newest revision that was given out: up to there values may have been sealed already. */
	newest(): bigint;
	/** Other keys count from now on. */
	replaced?(): void;
}

export class LiveSealing {
	/** The configuration that it began with. */
	readonly text: string;
	readonly counted: Transformations | undefined;
	#now: Sealing;
	/** Earlier ones, oldest first, each with the last revision that may have been sealed with it. */
	readonly #former: { readonly upTo: bigint; readonly sealing: Sealing }[] = [];
	#owner: Owner | undefined;

	/** @param counted what it does, by whom also other keys that replace these are to be counted */
	constructor(sealing: Sealing, text = '', counted?: Transformations) {
		this.counted = counted;
		this.text = text;
		this.#now = sealing;
	}

	/** What seals and opens values of the key now. */
	readonly of: Sealing = (key) => this.#now(key);

	/** To be called once, by the store that seals with it. */
	own(owner: Owner): void {
		this.#owner = owner;
	}

	replace(next: Sealing): void {
		this.#former.push({ upTo: this.#owner?.newest() ?? 0n, sealing: this.#now });
		this.#now = next;
		this.#owner?.replaced?.();
	}

	/** Whether the entry lies in a form that would not be written now: a write that changes nothing rewrites it. */
	isStale({ key, revision, value }: Lying): boolean {
		if (value.stale === true) return true;
		const then = this.#former.find(({ upTo }) => revision <= upTo)?.sealing;
		return then !== undefined && formOf(then(key)) !== formOf(this.#now(key));
	}
}

/** Where no rule names a resource its values are plain, as those that `identity` writes. */
function formOf(sealer: Sealer | undefined): string {
	return sealer?.form ?? '';
}
