/** An API server's state in memory for tests: objects of any kind with versions, conflicts, selectors and a history to watch. No validation, no admission. */
import type { KubeObject } from '../../api/resource.ts';
import type { Status } from '../../api/gen/types.ts';
import { StatusError } from '../../api/status.ts';
import type { Clock } from '../../base/clock.ts';

export interface Change {
	readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
	/** "/api/v1/pods" */
	readonly collection: string;
	readonly object: KubeObject;
	readonly before: KubeObject | undefined;
	readonly version: number;
}

/** Which objects: namespace and selectors. */
export type Matches = (object: KubeObject) => boolean;

export class FakeApi {
	readonly #clock: Clock;
	readonly #objects = new Map<string, Map<string, KubeObject>>();
	readonly #watchers = new Set<(change: Change) => void>();
	#history: Change[] = [];
	#compacted = 0;
	#version = 1;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	get version(): number {
		return this.#version;
	}

	get(collection: string, key: string): KubeObject {
		const object = this.#objects.get(collection)?.get(key);
		if (object === undefined) throw refuse(404, 'NotFound', `${collection} "${key}" not found`);
		return object;
	}

	list(collection: string, matches: Matches): readonly KubeObject[] {
		return [...(this.#objects.get(collection)?.entries() ?? [])]
			.toSorted(([a], [b]) => (a < b ? -1 : 1))
			.map(([, object]) => object)
			.filter(matches);
	}

	create(collection: string, given: KubeObject, namespace: string | undefined): KubeObject {
		const object = structuredClone(given);
		const { metadata } = object;
		if (namespace !== undefined) metadata.namespace = namespace;
		if (metadata.name === undefined) metadata.name = `${metadata.generateName ?? ''}${this.#clock.uuid().slice(0, 5)}`;
		const key = keyIn(object);
		if (this.#objects.get(collection)?.has(key) === true) throw refuse(409, 'AlreadyExists', `${collection} "${key}" already exists`);
		metadata.uid = this.#clock.uuid();
		metadata.creationTimestamp = `${new Date(this.#clock.now()).toISOString().slice(0, 19)}Z`;
		return this.#commit('ADDED', collection, key, object, undefined);
	}

	update(collection: string, key: string, given: KubeObject): KubeObject {
		const before = this.get(collection, key);
		const { resourceVersion } = given.metadata;
		if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion)
			throw refuse(409, 'Conflict', `Operation cannot be fulfilled on ${collection} "${key}": the object has been modified`);
		return this.#commit('MODIFIED', collection, key, structuredClone(given), before);
	}

	delete(collection: string, key: string, uid?: string): KubeObject {
		const before = this.get(collection, key);
		if (uid !== undefined && uid !== before.metadata.uid)
			throw refuse(409, 'Conflict', `the UID in the precondition (${uid}) does not match`);
		return this.#commit('DELETED', collection, key, structuredClone(before), before);
	}

	/** What happened after `version`; throws 410 where that is forgotten. */
	since(version: number): readonly Change[] {
		if (version < this.#compacted) throw refuse(410, 'Expired', `too old resource version: ${version} (${this.#compacted})`);
		return this.#history.filter((change) => change.version > version);
	}

	watch(fn: (change: Change) => void): Disposable {
		this.#watchers.add(fn);
		return { [Symbol.dispose]: () => void this.#watchers.delete(fn) };
	}

	/** Forgets the history: older versions cannot be watched any more. */
	compact(): void {
		this.#compacted = this.#version;
		this.#history = [];
	}

	#commit(type: Change['type'], collection: string, key: string, object: KubeObject, before: KubeObject | undefined): KubeObject {
		const version = ++this.#version;
		object.metadata.resourceVersion = String(version);
		const objects = this.#objects.get(collection) ?? new Map<string, KubeObject>();
		this.#objects.set(collection, objects);
		if (type === 'DELETED') objects.delete(key);
		else objects.set(key, object);
		const change: Change = { type, collection, object, before, version };
		this.#history.push(change);
		for (const fn of this.#watchers) fn(change);
		return object;
	}
}

function keyIn(object: KubeObject): string {
	const { namespace, name } = object.metadata;
	return namespace === undefined ? (name ?? '') : `${namespace}/${name}`;
}

/** The StatusError of an answer that says no. */
export function refuse(code: number, reason: string, message: string): StatusError {
	const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message };
	return new StatusError(status);
}

/** Lists with names that a strategic merge replaces all the same. */
const ATOMIC: ReadonlySet<string> = new Set(['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses']);

/** RFC 7386, and lists of objects with a `type` or `name` merged by it, which is as much of a strategic merge as tests need. */
export function merged(target: unknown, patch: unknown): unknown {
	if (Array.isArray(target) && Array.isArray(patch)) return mergedList(target, patch);
	if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
	const result: Record<string, unknown> = typeof target === 'object' && target !== null ? { ...target } : {};
	for (const [name, value] of Object.entries(patch)) {
		if (value === null) delete result[name];
		else if (ATOMIC.has(name)) result[name] = value;
		else result[name] = merged(result[name], value);
	}
	return result;
}

function mergedList(target: readonly unknown[], patch: readonly unknown[]): unknown {
	const keyOf = (item: unknown): string | undefined => {
		const { type, name } = (item ?? {}) as { type?: string; name?: string };
		return type ?? name;
	};
	if (patch.some((item) => keyOf(item) === undefined)) return patch;
	const result = [...target];
	for (const item of patch) {
		const at = result.findIndex((old) => keyOf(old) === keyOf(item));
		if ((item as { $patch?: string }).$patch === 'delete') result.splice(at, at < 0 ? 0 : 1);
		else if (at < 0) result.push(item);
		else result[at] = merged(result[at], item);
	}
	return result;
}
