/** Whole lists made lately, for as long as nothing in them changes: clients poll, and admission asks for the same few at every write. */
import type { Entry } from './store.ts';

/** Every write looks through so many prefixes. */
const MAX_LISTS = 16;

export class KnownLists {
	readonly #lists = new Map<string, readonly Entry[]>();

	/** The list of the prefix, where it is known. */
	of(prefix: string): readonly Entry[] | undefined {
		return this.#lists.get(prefix);
	}

	/** The list, just made. */
	keep(prefix: string, made: readonly Entry[]): readonly Entry[] {
		if (this.#lists.size >= MAX_LISTS) this.#lists.delete(this.#lists.keys().next().value as string);
		this.#lists.set(prefix, made);
		return made;
	}

	/** Something was written there. */
	changed(key: string): void {
		for (const prefix of this.#lists.keys()) if (key.startsWith(prefix)) this.#lists.delete(prefix);
	}
}
