/** The objects of one kind as last seen, frozen, with indexes kept by the cache. */
import { keyOf, type Key, type KubeObject } from '../api/resource.ts';
import { freeze } from '../base/freeze.ts';

/** Read access to a cache. Objects are frozen: copy before changing (`structuredClone`). */
export interface Lister<T> {
	get(key: Key): T | undefined;
	/** All objects, or those of one namespace. */
	list(namespace?: string): readonly T[];
	/** Objects for which the named index gave this value; throws for an unknown index. */
	byIndex(index: string, value: string): readonly T[];
}

/** What happened to one object: only `after` when added, only `before` when deleted, both when changed. */
export interface Change<T> {
	readonly before?: T;
	readonly after?: T;
}

/** The values under which an object is found, e.g. `(pod) => [pod.spec?.nodeName ?? '']`. Pure. */
export type IndexFunction<T> = (object: T) => readonly string[];

interface Index<T> {
	readonly valuesOf: IndexFunction<T>;
	readonly keys: Map<string, Set<Key>>;
}

const NAMESPACE = 'namespace';

export class Cache<T extends KubeObject> implements Lister<T> {
	readonly #objects = new Map<Key, T>();
	readonly #indexes = new Map<string, Index<T>>();

	constructor(indexes: Readonly<Record<string, IndexFunction<T>>> = {}) {
		this.addIndex(NAMESPACE, (object) => (object.metadata.namespace === undefined ? [] : [object.metadata.namespace]));
		for (const [name, valuesOf] of Object.entries(indexes)) this.addIndex(name, valuesOf);
	}

	get size(): number {
		return this.#objects.size;
	}

	get(key: Key): T | undefined {
		return this.#objects.get(key);
	}

	list(namespace?: string): readonly T[] {
		return namespace === undefined ? [...this.#objects.values()] : this.byIndex(NAMESPACE, namespace);
	}

	byIndex(name: string, value: string): readonly T[] {
		const index = this.#indexes.get(name);
		if (index === undefined) throw new TypeError(`The cache has no index named "${name}"`);
		const found: T[] = [];
		for (const key of index.keys.get(value) ?? []) {
			const object = this.#objects.get(key);
			if (object !== undefined) found.push(object);
		}
		return found;
	}

	/** Adds an index over what is there and what comes; an index of that name already there stays. */
	addIndex(name: string, valuesOf: IndexFunction<T>): void {
		if (this.#indexes.has(name)) return;
		const index: Index<T> = { valuesOf, keys: new Map() };
		this.#indexes.set(name, index);
		for (const [key, object] of this.#objects) insert(index, key, object);
	}

	/** Stores one object. An object no newer than the one held (same uid and resourceVersion) is no change. */
	apply(object: T): Change<T> | undefined {
		const key = keyOf(object);
		const before = this.#objects.get(key);
		if (before !== undefined && sameVersion(before, object)) return undefined;
		this.#put(key, object, before);
		return before === undefined ? { after: object } : { before, after: object };
	}

	/** Removes one object; `last` is its final state if known. */
	delete(key: Key, last?: T): Change<T> | undefined {
		const before = this.#objects.get(key);
		if (before === undefined) return undefined;
		for (const index of this.#indexes.values()) withdraw(index, key, before);
		this.#objects.delete(key);
		return { before: last === undefined ? before : freeze(last) };
	}

	/** Swaps the whole content at once and tells the difference. */
	replace(objects: readonly T[]): readonly Change<T>[] {
		const changes: Change<T>[] = [];
		const keep = new Set(objects.map(keyOf));
		for (const key of this.#objects.keys()) {
			const change = keep.has(key) ? undefined : this.delete(key);
			if (change !== undefined) changes.push(change);
		}
		for (const object of objects) {
			const change = this.apply(object);
			if (change !== undefined) changes.push(change);
		}
		return changes;
	}

	#put(key: Key, object: T, before: T | undefined): void {
		freeze(object);
		for (const index of this.#indexes.values()) {
			if (before !== undefined) withdraw(index, key, before);
			insert(index, key, object);
		}
		this.#objects.set(key, object);
	}
}

function insert<T>(index: Index<T>, key: Key, object: T): void {
	for (const value of index.valuesOf(object)) {
		const keys = index.keys.get(value);
		if (keys === undefined) index.keys.set(value, new Set([key]));
		else keys.add(key);
	}
}

function withdraw<T>(index: Index<T>, key: Key, object: T): void {
	for (const value of index.valuesOf(object)) {
		const keys = index.keys.get(value);
		keys?.delete(key);
		if (keys?.size === 0) index.keys.delete(value);
	}
}

function sameVersion(a: KubeObject, b: KubeObject): boolean {
	return (
		a.metadata.resourceVersion !== undefined &&
		a.metadata.resourceVersion === b.metadata.resourceVersion &&
		a.metadata.uid === b.metadata.uid
	);
}
