/** An informer's objects, with those in the place of others that are believed already: written, or about to be, and not seen yet (upstream's AssumeCache). */
import { keyOf, type Key, type KubeObject } from '../api/resource.ts';
import type { Lister } from './cache.ts';
import type { Informer } from './informer.ts';
import { isOlderVersion } from './resource-version.ts';

export class Assumed<T extends KubeObject> implements Lister<T>, Disposable {
	readonly #lister: Lister<T>;
	readonly #believed = new Map<Key, T>();
	readonly #subscription: Disposable;

	constructor(informer: Informer<T>) {
		this.#lister = informer.lister;
		this.#subscription = informer.subscribe(({ before, after }) => {
			if (after === undefined) return void (before !== undefined && this.#believed.delete(keyOf(before)));
			const believed = this.#believed.get(keyOf(after));
			if (believed !== undefined && !isOlderVersion(after, believed)) this.#believed.delete(keyOf(after));
		});
	}

	get(key: Key): T | undefined {
		return this.#believed.get(key) ?? this.#lister.get(key);
	}

	list(namespace?: string): readonly T[] {
		return this.#lister.list(namespace).map((object) => this.#current(object));
	}

	/** By what the informer shows; what is believed of an object does not change where it is found. */
	byIndex(index: string, value: string): readonly T[] {
		return this.#lister.byIndex(index, value).map((object) => this.#current(object));
	}

	/** Believed until the informer shows one as new as it, or it is taken back; nothing is believed of one that is gone. */
	assume(object: T): void {
		const shown = this.#lister.get(keyOf(object));
		if (shown !== undefined && !isOlderVersion(object, shown)) this.#believed.set(keyOf(object), object);
	}

	/** Takes back what was assumed. */
	restore(key: Key): void {
		this.#believed.delete(key);
	}

	[Symbol.dispose](): void {
		this.#subscription[Symbol.dispose]();
	}

	#current(object: T): T {
		return this.#believed.size === 0 ? object : (this.#believed.get(keyOf(object)) ?? object);
	}
}
