/** What all watchers with the same question and the same encoding get: decided and encoded once for each batch of changes. */
import type { Change, Encoded, Entry, WatchBatch } from '../../storage/store.ts';
import type { EventEncoder } from './event-encoder.ts';
import type { Kind } from './kinds.ts';
import type { Selection } from './selection.ts';

/** Events that are written together. */
export interface Frames<P = Uint8Array> {
	/** Undefined: nothing of the batch is for them. */
	readonly piece: P | undefined;
	/** How long each event is. */
	readonly sizes: readonly number[];
}

const NOTHING: Frames<never> = { piece: undefined, sizes: [] };

export class Feed<P = Uint8Array> {
	readonly encoder: EventEncoder<P>;
	readonly selected: Selection;
	users = 0;
	/** What was asked for last: others who are as far ask for the same. */
	#batch: WatchBatch | undefined;
	#frames: Frames<P> = NOTHING;
	readonly #forget: () => void;
	/** The store gives the same list as long as nothing in it changes. */
	readonly #found = new WeakMap<readonly Entry[], readonly Entry[]>();

	constructor(encoder: EventEncoder<P>, selected: Selection, forget: () => void) {
		this.encoder = encoder;
		this.selected = selected;
		this.#forget = forget;
	}

	/** Of a list, those that are selected. */
	of(list: readonly Entry[]): readonly Entry[] {
		if (this.selected.all) return list;
		let found = this.#found.get(list);
		if (found === undefined) {
			found = list.filter((entry) => this.selected.matches(entry.value));
			this.#found.set(list, found);
		}
		return found;
	}

	frames(batch: WatchBatch): Frames<P> {
		if (this.#batch === batch) return this.#frames;
		const all: P[] = [];
		for (const change of batch.changes) {
			const frame = this.#event(change);
			if (frame !== undefined) all.push(frame);
		}
		this.#frames = framesOf(this.encoder, all);
		this.#batch = batch;
		return this.#frames;
	}

	/** For each that has joined. */
	leave(): void {
		if (--this.users === 0) this.#forget();
	}

	/** A change of what matches may look like another one to this client: leaving the selection is a delete, entering it an add. */
	#event(change: Change): P | undefined {
		const before = this.#matching(change.before?.value);
		const after = this.#matching(change.after?.value);
		if (after !== undefined)
			return this.encoder.event(before === undefined ? 'ADDED' : 'MODIFIED', { value: after, revision: change.revision }, change);
		if (before === undefined) return undefined;
		// The last state that matched, at the revision of the change.
		return this.encoder.event('DELETED', { value: before, revision: change.revision }, change);
	}

	#matching(value: Encoded | undefined): Encoded | undefined {
		return value !== undefined && this.selected.matches(value) ? value : undefined;
	}
}

export function framesOf<P>(encoder: EventEncoder<P>, all: readonly P[]): Frames<P> {
	if (all.length === 0) return NOTHING;
	return { piece: all.length === 1 ? (all[0] as P) : encoder.joined(all), sizes: all.map((piece) => encoder.size(piece)) };
}

/** The encoder's key, which is part of theirs, says what their pieces are. */
const feeds = new WeakMap<Kind, Map<string, Feed<unknown>>>();

/** The feed of all who ask this, until they leave it; one of its own where what the encoder writes differs from watcher to watcher. */
export function joinFeed<P>(kind: Kind, question: readonly string[], encoder: EventEncoder<P>, select: () => Selection): Feed<P> {
	let feed: Feed<P>;
	if (encoder.key === undefined) feed = new Feed(encoder, select(), () => {});
	else {
		let same = feeds.get(kind);
		if (same === undefined) feeds.set(kind, (same = new Map()));
		const key = JSON.stringify([encoder.key, ...question]);
		const among = same;
		feed = (same.get(key) as Feed<P> | undefined) ?? new Feed(encoder, select(), () => void among.delete(key));
		same.set(key, feed as Feed<unknown>);
	}
	feed.users++;
	return feed;
}
