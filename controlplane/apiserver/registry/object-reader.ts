/** Reads and change notices straight from the store, for authorization, admission and subresources. */
import type { Key, KubeObject, Resource } from '../../../api/resource.ts';
import { codeOf, messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { Turns } from '../../../base/turns.ts';
import type { Entry, Store } from '../../storage/store.ts';
import type { Parsed } from '../answer/parsed.ts';
import type { ObjectReader } from '../contracts.ts';
import { collectionPrefix, type Kind, type Kinds } from './kinds.ts';
import { readyToList } from './ready-to-list.ts';
import { storedObject } from './stored-object.ts';

/** Admission asks for a few kinds at every write, and most have no object: that costs nothing. */
const WHOLE = {};
const NONE: readonly never[] = [];

type Change<T> = { readonly key: Key; readonly before: T | undefined; readonly after: T | undefined };

export class StoreReader implements ObjectReader {
	readonly #store: Store;
	readonly #turns: Turns;
	readonly #parsed: Parsed;
	readonly #kinds: Kinds;
	readonly #log: Log;
	readonly #stop = new AbortController();
	readonly fresh?: (signal: AbortSignal) => Promise<unknown>;

	constructor(store: Store, parsed: Parsed, kinds: Kinds, turns: Turns, log: Log) {
		this.#store = store;
		this.#turns = turns;
		this.#parsed = parsed;
		this.#kinds = kinds;
		this.#log = log;
		if (store.shared) this.fresh = (signal) => store.fresh(undefined, signal);
	}

	get<T extends KubeObject>(resource: Resource<T>, key: Key): T | undefined {
		const kind = this.#kinds.of(resource);
		return this.#object(kind, this.#store.get(kind.prefix + key));
	}

	async readable(resource: Resource, signal: AbortSignal, namespace = ''): Promise<void> {
		const kind = this.#kinds.of(resource);
		await readyToList(this.#turns, kind, this.#store.list(collectionPrefix(kind, namespace), WHOLE).entries, signal);
	}

	list<T extends KubeObject>(resource: Resource<T>, namespace = ''): readonly T[] {
		const kind = this.#kinds.of(resource);
		const { entries } = this.#store.list(collectionPrefix(kind, namespace), WHOLE);
		return entries.length === 0 ? NONE : entries.map((entry) => this.#object<T>(kind, entry) as T);
	}

	onChange<T extends KubeObject>(resource: Resource<T>, fn: (change: Change<T>) => void, only?: Key): Disposable {
		const kind = this.#kinds.of(resource);
		const stop = new AbortController();
		const signal = AbortSignal.any([stop.signal, this.#stop.signal]);
		this.#follow(kind, fn, only, signal).catch((error: unknown) =>
			this.#log.error('following changes failed', { why: messageOf(error), error }),
		);
		return { [Symbol.dispose]: () => stop.abort() };
	}

	/** Ends all notices. */
	close(): void {
		this.#stop.abort();
	}

	/** Where others write to the store too, all may have been read anew, with a gap: then everything is told once more, and what is gone. */
	async #follow<T extends KubeObject>(
		kind: Kind,
		fn: (change: Change<T>) => void,
		only: Key | undefined,
		signal: AbortSignal,
	): Promise<void> {
		const prefix = kind.prefix + (only ?? '');
		const keyOf = (key: string): Key => key.slice(kind.prefix.length);
		// Others may have names that begin with this one's.
		const isAsked = (key: string): boolean => only === undefined || key === prefix;
		const all = (): readonly Entry[] => this.#store.list(prefix, WHOLE).entries.filter(({ key }) => isAsked(key));
		const known = this.#store.shared ? new Set(all().map(({ key }) => key)) : undefined;
		for (;;) {
			try {
				for await (const { changes } of this.#store.watch(prefix, this.#store.revision(), signal))
					for (const { key, before, after } of changes) {
						if (!isAsked(key)) continue;
						if (after === undefined) known?.delete(key);
						else known?.add(key);
						fn({ key: keyOf(key), before: this.#object<T>(kind, before), after: this.#object<T>(kind, after) });
					}
				return;
			} catch (error) {
				if (known === undefined || codeOf(error) !== 'OutOfRange') throw error;
			}
			const gone = new Set(known);
			for (const entry of all()) {
				known.add(entry.key);
				gone.delete(entry.key);
				fn({ key: keyOf(entry.key), before: undefined, after: this.#object<T>(kind, entry) });
			}
			for (const key of gone) {
				known.delete(key);
				fn({ key: keyOf(key), before: undefined, after: undefined });
			}
		}
	}

	#object<T extends KubeObject>(kind: Kind, entry: Entry | undefined): T | undefined {
		if (entry === undefined) return undefined;
		const object = storedObject<T>(this.#parsed, kind, entry);
		return kind.conversion === undefined ? object : (kind.conversion.fromStored(object) as T);
	}
}
