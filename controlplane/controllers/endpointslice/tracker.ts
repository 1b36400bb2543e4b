/**
 * What a controller wrote of its slices and has not yet seen in its informer: until then its view is stale, and what it wrote itself is no news
 * (upstream's EndpointSliceTracker). Keys are services, or Endpoints, which are named as their services.
 */
import type { EndpointSlice } from '../../../api/gen/types.ts';
import type { Key } from '../../../api/resource.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Change } from '../../../client/cache.ts';
import { SERVICE_LABEL } from './plan.ts';

/** In the place of a generation. */
const DELETED = -1;
/** After this long what was written is assumed to have gone unseen, as with other controllers' expectations. */
const TIMEOUT_MS = 5 * 60_000;

interface Written {
	/** By uid. */
	readonly generations: Map<string, number>;
	at: number;
	/** Somebody asked before all of it was seen. */
	isAwaited: boolean;
}

export class SliceTracker {
	readonly #clock: Clock;
	readonly #byKey = new Map<Key, Written>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** The slice as it was written. */
	wrote(key: Key, { metadata: { uid = '', generation = 0 } }: EndpointSlice): void {
		this.#note(key, uid, generation);
	}

	deleted(key: Key, { metadata: { uid = '' } }: EndpointSlice): void {
		this.#note(key, uid, DELETED);
	}

	/** It could not be: nothing is expected of it. */
	notDeleted(key: Key, { metadata: { uid = '' } }: EndpointSlice): void {
		if (this.#byKey.get(key)?.generations.get(uid) === DELETED) this.#left(key, uid);
	}

	/** Whether these, all that the informer has of the key, are older than what was written. */
	isStale(key: Key, slices: readonly EndpointSlice[]): boolean {
		const written = this.#byKey.get(key);
		if (written === undefined || !isBehind(written, slices)) return false;
		if (this.#clock.monotonic() - written.at <= TIMEOUT_MS) return (written.isAwaited = true);
		this.#byKey.delete(key);
		return false;
	}

	/** The keys to look at because of a change: those of what was written here only where it was asked for too early. */
	changed({ before, after }: Change<EndpointSlice>): readonly Key[] {
		const [had] = serviceKeys(before);
		const [has] = serviceKeys(after);
		const keys: Key[] = [];
		if (had !== undefined && had !== has && !this.#left(had, before?.metadata.uid ?? '')) keys.push(had);
		if (after !== undefined && has !== undefined && this.#isNews(has, after)) keys.push(has);
		return keys;
	}

	forget(key: Key): void {
		this.#byKey.delete(key);
	}

	#note(key: Key, uid: string, generation: number): void {
		const written = this.#byKey.get(key) ?? { generations: new Map<string, number>(), at: 0, isAwaited: false };
		written.generations.set(uid, generation);
		written.at = this.#clock.monotonic();
		this.#byKey.set(key, written);
	}

	#isNews(key: Key, { metadata: { uid = '', generation = 0 } }: EndpointSlice): boolean {
		const written = this.#byKey.get(key);
		const expected = written?.generations.get(uid);
		if (written === undefined || expected === undefined || generation > expected) return true;
		const wasAwaited = written.isAwaited;
		written.isAwaited = false;
		return wasAwaited;
	}

	/** The slice is not the key's any more; answers whether that was to be. */
	#left(key: Key, uid: string): boolean {
		const { generations, isAwaited = false } = this.#byKey.get(key) ?? {};
		const isExpected = generations?.get(uid) === DELETED;
		generations?.delete(uid);
		if (generations?.size === 0) this.#byKey.delete(key);
		return isExpected && !isAwaited;
	}
}

function isBehind({ generations }: Written, slices: readonly EndpointSlice[]): boolean {
	const missing = new Set([...generations].flatMap(([uid, generation]) => (generation === DELETED ? [] : [uid])));
	for (const { metadata } of slices) {
		const { uid = '', generation = 0, deletionTimestamp } = metadata;
		missing.delete(uid);
		const expected = generations.get(uid);
		// One that is going may stay so for long.
		if (deletionTimestamp !== undefined || expected === undefined) continue;
		if (expected === DELETED || expected > generation) return true;
	}
	return missing.size > 0;
}

/** The key of the service that the slice is of. */
export function serviceKeys(slice: EndpointSlice | undefined): readonly Key[] {
	const name = slice?.metadata.labels?.[SERVICE_LABEL];
	return name === undefined ? [] : [`${slice?.metadata.namespace}/${name}`];
}
