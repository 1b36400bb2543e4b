/** One client's watch: what it begins with, then what its feed has for it, pushed while the client takes it and the turn lasts. */
import { codeOf } from '../../../base/errors.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Turns } from '../../../base/turns.ts';
import type { Entry, Follower, Store, WatchBatch } from '../../storage/store.ts';
import { PushedBody, type Outlet } from '../answer/pushed-body.ts';
import { framesOf, type Feed, type Frames } from './feed.ts';
import { BookmarkTimes } from './bookmark-times.ts';
import type { Kind } from './kinds.ts';
import type { OpenWatches } from './open-watches.ts';
import { tooOld } from './freshness.ts';

export interface WatcherOptions<P = Uint8Array> {
	readonly store: Store;
	readonly clock: Clock;
	readonly turns: Turns;
	/** Ends it when the server stops. */
	readonly watches: OpenWatches;
	readonly kind: Kind;
	/** Joined; the watcher leaves it. */
	readonly feed: Feed<P>;
	/** Told of every event sent, with its bytes. */
	readonly sent: ((bytes: number) => void) | undefined;
	/** Called once what it begins with has been sent and marked. */
	readonly listed?: (() => void) | undefined;
	readonly from: bigint;
	/** What the client does not know yet, as of `from`, selected. */
	readonly initial: readonly Entry[] | undefined;
	/** Says where what it begins with is complete. */
	readonly marksInitial: boolean;
	readonly bookmarks: boolean;
	readonly timeoutMs: number;
	follow(wake: () => void): Follower;
}

/** So many changes are looked at in one go, so that no turn gets long: those whose objects are copied, and those whose objects are parsed. */
const CHANGES = { cheap: 100, dear: 20 } as const;
/** So many who ask the same are a crowd: they are told together. */
const CROWD = 32;
/** What it begins with is written in pieces of about this. */
const PIECE_BYTES = 64 * 1024;

export class Watcher<P = Uint8Array> extends PushedBody<P> {
	readonly #options: WatcherOptions<P>;
	readonly #follower: Follower;
	readonly #limit: number;
	readonly #timer: Disposable;
	readonly #times: BookmarkTimes | undefined;
	#outlet: Outlet<P> | undefined;
	/** How much of what it begins with has been looked at; undefined: all of it. */
	#listed: number | undefined;
	/** Everything up to here has been sent. */
	#sent: bigint;
	/** Where it begins, while that is yet to come. */
	#early: bigint | undefined;
	/** Taken, but its objects are still being converted. */
	#held: WatchBatch | undefined;
	#state: 'open' | 'converting' | 'full' | 'closed' = 'open';
	#planned = false;
	readonly #stop: AbortController | undefined;

	/** AppError OutOfRange when what follows `from` is compacted. */
	constructor(options: WatcherOptions<P>) {
		super();
		const { clock, kind, feed, watches } = options;
		this.#options = options;
		this.#follower = options.follow(this.#woken);
		this.#limit = CHANGES[feed.encoder.cheap ? 'cheap' : 'dear'];
		this.#listed = options.initial === undefined ? undefined : 0;
		this.#sent = options.from;
		this.#early = options.from > options.store.revision() ? options.from : undefined;
		this.#timer = clock.after(options.timeoutMs, this.#finish);
		this.#times = options.bookmarks ? new BookmarkTimes(clock, options.timeoutMs, () => this.#bookmark()) : undefined;
		watches.join(this.#finish);
		if (kind.custom === undefined) return;
		this.#stop = new AbortController();
		kind.custom.ended.addEventListener('abort', this.#finish, { once: true });
	}

	start(outlet: Outlet<P>): void {
		if (this.#state === 'closed') return outlet.end();
		this.#outlet = outlet;
		this.#plan();
	}

	resume(): void {
		if (this.#state !== 'full') return;
		this.#state = 'open';
		this.#plan();
	}

	close(): void {
		if (this.#state === 'closed') return;
		this.#state = 'closed';
		const { feed, kind, watches } = this.#options;
		this.#follower[Symbol.dispose]();
		feed.leave();
		watches.leave(this.#finish);
		this.#timer[Symbol.dispose]();
		this.#times?.[Symbol.dispose]();
		kind.custom?.ended.removeEventListener('abort', this.#finish);
		this.#stop?.abort();
	}

	readonly #finish = (): void => {
		if (this.#state === 'closed') return;
		this.close();
		this.#outlet?.end();
	};

	readonly #woken = (): void => {
		const { feed, turns } = this.#options;
		if (feed.users < CROWD || this.#listed !== undefined) return this.#plan();
		if (this.#canPlan()) turns.addToCrowd(this.#run, this.#outlet?.connection);
	};

	readonly #plan = (): void => {
		if (this.#canPlan()) this.#options.turns.add(this.#run, this.#outlet?.connection);
	};

	/** Once until it runs. */
	#canPlan(): boolean {
		if (this.#planned || this.#state !== 'open' || this.#outlet === undefined) return false;
		this.#planned = true;
		return true;
	}

	readonly #run = (): void => {
		this.#planned = false;
		try {
			while (this.#state === 'open') {
				const from = this.#listed;
				const frames = from === undefined ? this.#changed() : this.#begun(from);
				if (frames !== undefined) this.#send(frames);
				if (from !== undefined && this.#listed === undefined) this.#options.listed?.();
				if (!this.#waits) return;
				if (this.#options.turns.over) return this.#plan();
			}
		} catch (error) {
			if (this.#state === 'closed') return;
			const { feed, store } = this.#options;
			const isTooOld = codeOf(error) === 'OutOfRange';
			if (isTooOld) this.#outlet?.write(feed.encoder.error(tooOld(this.#sent, store.compacted())));
			this.#fail(isTooOld ? undefined : error);
		}
	};

	get #waits(): boolean {
		return this.#follower.waits || this.#listed !== undefined || this.#held !== undefined;
	}

	#fail(error: unknown): void {
		this.close();
		this.#outlet?.end(error);
	}

	#send({ piece, sizes }: Frames<P>): void {
		if (piece === undefined) return;
		if (this.#outlet?.write(piece, sizes) === false && this.#state === 'open') this.#state = 'full';
		const { sent } = this.#options;
		if (sent !== undefined) for (const size of sizes) sent(size);
	}

	/** The next piece of what it begins with. */
	#begun(from: number): Frames<P> {
		const { initial = [], feed, marksInitial, turns } = this.#options;
		const all: P[] = [];
		let at = from;
		for (let bytes = 0; at < initial.length && bytes < PIECE_BYTES; at++) {
			if (at % CHANGES.dear === 0 && at > from && turns.over) break;
			const frame = feed.encoder.event('ADDED', initial[at] as Entry, undefined);
			all.push(frame);
			bytes += feed.encoder.size(frame);
		}
		this.#listed = at < initial.length ? at : undefined;
		if (this.#listed === undefined && marksInitial) all.push(feed.encoder.bookmark(this.#sent, true));
		return framesOf(feed.encoder, all);
	}

	/** What the next changes are to this client; undefined: nothing waits, or not yet. */
	#changed(): Frames<P> | undefined {
		const taken = this.#held ?? this.#follower.take(this.#limit);
		if (taken === undefined) return undefined;
		const batch = this.#early === undefined ? taken : this.#due(taken, this.#early);
		if (this.#held === undefined && this.#converts(batch)) return undefined;
		this.#held = undefined;
		const frames = this.#options.feed.frames(batch);
		this.#sent = batch.revision;
		return frames;
	}

	/** What comes after the version that the client named before the cluster was that far. */
	#due(batch: WatchBatch, early: bigint): WatchBatch {
		if (batch.revision < early) return { revision: batch.revision, changes: [] };
		this.#early = undefined;
		return { ...batch, changes: batch.changes.filter(({ revision }) => revision > early) };
	}

	/** Objects of other versions may need a webhook before they can be shown. */
	#converts(batch: WatchBatch): boolean {
		const { custom } = this.#options.kind;
		if (custom === undefined || this.#stop === undefined) return false;
		const values = batch.changes.flatMap(({ before, after }) => [before?.value, after?.value]);
		const ready = custom.ready(values, this.#stop.signal);
		if (ready === undefined) return false;
		this.#held = batch;
		this.#state = 'converting';
		ready.then(
			() => {
				if (this.#state !== 'converting') return;
				this.#state = 'open';
				this.#plan();
			},
			(error: unknown) => {
				if (this.#state !== 'closed') this.#fail(error);
			},
		);
		return true;
	}

	/** Says how far it is, unless something waits. */
	#bookmark(): void {
		if (this.#state !== 'open' || this.#planned || this.#outlet === undefined || this.#listed !== undefined) return;
		const { store, feed, from } = this.#options;
		// It would be what the client knows.
		if (store.revision() <= from) return;
		// Nothing that matches is waiting, so everything up to now has been sent.
		this.#sent = store.revision();
		if (!this.#outlet.write(feed.encoder.bookmark(this.#sent, false))) this.#state = 'full';
	}
}
