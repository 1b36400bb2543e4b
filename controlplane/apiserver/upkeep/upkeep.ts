/**
 * What the server itself keeps as it has to be while it runs. Nothing is polled: each thing is looked at when something about it changes.
 *
 *   change -> look -> right: nothing                   somebody else may want it otherwise for ever:
 *                  -> wrong: write -> wait intervalMs     that costs one write in an interval
 *                                  -> failed: back off, intervalMs at most
 */
import { delayMs } from '../../../base/backoff.ts';
import type { Clock } from '../../../base/clock.ts';
import { codeOf, messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { createWorkQueue, type Again, type WorkQueue } from '../../../client/workqueue.ts';
import type { ObjectReader } from '../contracts.ts';

export interface Kept {
	/** As the log calls it; no two alike. */
	readonly name: string;
	/** How long after a write the next one may come: upstream looks so often. */
	readonly intervalMs: number;
	/** The server starts without it where it cannot be made yet, and goes on trying. */
	readonly isForLater?: boolean;
	/** Calls back whenever it may not be right any more. */
	follow(touch: () => void): Disposable;
	/** What has to be done, by what memory shows; undefined where all is right. */
	look(): Repair | undefined;
}

export type Repair = (signal: AbortSignal) => Promise<unknown>;

interface Deps {
	readonly reader: Pick<ObjectReader, 'fresh'>;
	readonly clock: Clock;
	readonly log: Log;
}

interface State {
	readonly kept: Kept;
	/** When it may be written next, monotonic. */
	nextAt: number;
	failures: number;
}

/** So often a start tries at once what another server made impossible by doing the same. */
const ATTEMPTS = 5;
const FIRST_RETRY_MS = 100;
const JITTER = 0.5;

export class Upkeep {
	readonly #deps: Deps;
	readonly #states: ReadonlyMap<string, State>;
	readonly #queue: WorkQueue<string>;

	constructor(all: readonly Kept[], deps: Deps) {
		this.#deps = deps;
		this.#states = new Map(all.map((kept) => [kept.name, { kept, nextAt: 0, failures: 0 }]));
		this.#queue = createWorkQueue({ name: 'upkeep', clock: deps.clock });
	}

	/** Makes all of it right at once. Rejects for what cannot be written, unless that may come later. */
	async begin(signal: AbortSignal): Promise<void> {
		await Promise.all(
			[...this.#states.values()].map((state) =>
				this.#first(state, signal).catch((error: unknown) => {
					if (state.kept.isForLater !== true || signal.aborted) throw error;
					this.#warn(state.kept, error);
				}),
			),
		);
	}

	async #first(state: State, signal: AbortSignal): Promise<void> {
		for (let attempt = 1; ; attempt++) {
			try {
				return await this.#repair(state, signal);
			} catch (error) {
				if (attempt === ATTEMPTS || !isRace(error)) throw error;
			}
		}
	}

	/** Looks at all of it, and then at what changes, until the signal aborts and nothing is under way. */
	async run(signal: AbortSignal): Promise<void> {
		using following = new DisposableStack();
		for (const name of this.#states.keys()) {
			following.use(this.#state(name).kept.follow(() => this.#queue.add(name)));
			this.#queue.add(name);
		}
		// One that hangs holds up no other.
		await this.#queue.run(this.#states.size, (name) => this.#sync(this.#state(name), signal), signal);
	}

	/** Looks at all of it again. */
	touch(): void {
		for (const name of this.#states.keys()) this.#queue.add(name);
	}

	#warn({ name }: Kept, error: unknown): void {
		this.#deps.log.warn(`cannot put ${name} right`, { why: messageOf(error) });
	}

	#state(name: string): State {
		return this.#states.get(name) as State;
	}

	async #sync(state: State, signal: AbortSignal): Promise<Again | void> {
		const { clock } = this.#deps;
		const { kept } = state;
		if (kept.look() === undefined) {
			state.failures = 0;
			return;
		}
		const waitMs = state.nextAt - clock.monotonic();
		// Whole ones: a timer may come a fraction too soon, over and over.
		if (waitMs > 0) return { afterMs: Math.ceil(waitMs) };
		try {
			await this.#repair(state, signal);
		} catch (error) {
			if (signal.aborted) return;
			if (!isRace(error)) this.#warn(kept, error);
			const policy = { initialMs: FIRST_RETRY_MS, maxMs: kept.intervalMs, jitter: JITTER };
			const afterMs = Math.min(kept.intervalMs, delayMs(policy, state.failures++, clock.random()));
			state.nextAt = clock.monotonic() + afterMs;
			return { afterMs };
		}
	}

	async #repair(state: State, signal: AbortSignal): Promise<void> {
		const { reader, clock } = this.#deps;
		if (state.kept.look() === undefined) return;
		// What other servers have written may not be seen yet.
		await reader.fresh?.(signal);
		const repair = state.kept.look();
		if (repair === undefined) return;
		await repair(signal);
		state.failures = 0;
		state.nextAt = clock.monotonic() + state.kept.intervalMs;
	}
}

/** Somebody else wrote the same object a moment before. */
function isRace(error: unknown): boolean {
	return codeOf(error) === 'Aborted' || codeOf(error) === 'AlreadyExists';
}
