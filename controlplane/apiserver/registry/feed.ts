/** What all watchers with the same question and the same encoding get: decided and encoded once for each batch of changes. */
import type { Change, Encoded, Entry, WatchBatch } from '../../storage/store.ts';
import type { EventEncoder } from './event-encoder.ts';
import type { Kind } from './kinds.ts';
import type { Selection } from './selection.ts';

/** Events that are written together. */
export interface Frames {
	/** Undefined: nothing of the batch is for them. */
	readonly bytes: Uint8Array | undefined;
	/** How long each event is. */
	readonly sizes: readonly number[];
}

const NOTHING: Frames = { bytes: undefined, sizes: [] };

export class Feed {
	readonly encoder: EventEncoder;
	readonly selected: Selection;
	users = 0;
	/** What was asked for last: others who are as far ask for the same. */
	#batch: WatchBatch | undefined;
	#frames = NOTHING;
	readonly #forget: () => void;
	/** The store gives the same list as long as nothing in it changes. */
	readonly #found = new WeakMap<readonly Entry[], readonly Entry[]>();

	constructor(encoder: EventEncoder, selected: Selection, forget: () => void) {
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

	frames(batch: WatchBatch): Frames {
		if (this.#batch === batch) return this.#frames;
		const all: Uint8Array[] = [];
		for (const change of batch.changes) {
			const frame = this.#event(change);
			if (frame !== undefined) all.push(frame);
		}
		this.#frames = framesOf(all);
		this.#batch = batch;
		return this.#frames;
	}

	/** For each that has joined. */
	leave(): void {
		if (--this.users === 0) this.#forget();
	}

	/** A change of what matches may look like another one to this client: leaving the selection is a delete, entering it an add. */
	#event(change: Change): Uint8Array | undefined {
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

export function framesOf(all: readonly Uint8Array[]): Frames {
	if (all.length === 0) return NOTHING;
	return { bytes: all.length === 1 ? (all[0] as Uint8Array) : Buffer.concat(all), sizes: all.map((frame) => frame.length) };
}

const feeds = new WeakMap<Kind, Map<string, Feed>>();

/** The feed of all who ask this, until they leave it; one of its own where what the encoder writes differs from watcher to watcher. */
export function joinFeed(kind: Kind, question: readonly string[], encoder: EventEncoder, select: () => Selection): Feed {
	let feed: Feed;
	if (encoder.key === undefined) feed = new Feed(encoder, select(), () => {});
	else {
		let same = feeds.get(kind);
		if (same === undefined) feeds.set(kind, (same = new Map<string, Feed>()));
		const key = JSON.stringify([encoder.key, ...question]);
		const among = same;
		feed = same.get(key) ?? new Feed(encoder, select(), () => void among.delete(key));
		same.set(key, feed);
	}
	feed.users++;
	return feed;
}
