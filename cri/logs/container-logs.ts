/** The CRI log files of all containers: a pump each, from the container's creation until it is removed. */
import type { Clock } from '../../base/clock.ts';
import { linked, type Linked } from '../../base/abort.ts';
import { AppError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Engine } from '../engine/engine.ts';
import { type LogSource, Pump } from './pump.ts';

const FORGET_MS = 5000;
/** On two processors that eight others kept busy the end came after 4.8 s: a bound, for an engine or a disk that fails. */
const END_BOUND_MS = 10_000;

interface Deps {
	readonly engine: Engine;
	readonly clock: Clock;
	readonly log: Log;
}

interface Kept {
	readonly pump: Promise<Pump>;
	readonly stop: Linked;
	/** Since somebody asked. */
	finished?: Promise<void>;
}

export class ContainerLogs {
	readonly #deps: Deps;
	readonly #kept = new Map<string, Kept>();
	readonly #stop = new AbortController();

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** Attaches to a container that was just made; `attached` waits for it, so that nothing is lost at its start. */
	attach(source: LogSource): void {
		if (source.path === '' || this.#kept.has(source.id)) return;
		const stop = linked(this.#stop.signal);
		this.#keep(source.id, stop, Pump.attach(source, { ...this.#deps, signal: stop.signal }));
	}

	/** Throws what attaching failed with; then the next call tries again. */
	async attached(source: LogSource): Promise<void> {
		this.attach(source);
		await this.#kept.get(source.id)?.pump.catch((error: unknown) => {
			this.#kept.delete(source.id);
			throw error;
		});
	}

	/** Goes on where the file ends, from the engine's copy; for containers that ran while no shim did. */
	resume(source: LogSource): void {
		if (source.path === '' || this.#kept.has(source.id)) return;
		const stop = linked(this.#stop.signal);
		this.#keep(source.id, stop, Promise.resolve(Pump.resume(source, { ...this.#deps, signal: stop.signal })));
	}

	/**
	 * Resolves once a container that has ended is all in its file. The engine ends its streams before it tells of the end, also those that others hold open. Bounded: for all who
	 * ask together.
	 */
	async finished(id: string): Promise<void> {
		const kept = this.#kept.get(id);
		if (kept !== undefined) await (kept.finished ??= this.#finished(kept, END_BOUND_MS));
	}

	async #finished({ pump }: Kept, boundMs: number): Promise<void> {
		const done = pump.then((p) => p.done).catch(() => {});
		const bound = new AbortController();
		await Promise.race([done, this.#deps.clock.sleep(boundMs, bound.signal).catch(() => {})]);
		bound.abort();
	}

	async reopen(id: string): Promise<void> {
		const pump = await this.#kept.get(id)?.pump;
		if (pump === undefined) throw new AppError('NotFound', `Container "${id}" has no log`);
		await pump.reopen();
	}

	/** The container is removed: the pump ends once all is in the file. Of one that never started, the engine does not end the stream. */
	forget(id: string): void {
		const kept = this.#kept.get(id);
		if (kept === undefined) return;
		this.#kept.delete(id);
		const stop = (): void => kept.stop.abort();
		void this.#finished(kept, FORGET_MS).then(stop, stop);
	}

	/** Lets go of all streams; containers run on, and what they write meanwhile is in the engine's copy. */
	async stop(): Promise<void> {
		this.#stop.abort();
		const pumps = await Promise.allSettled([...this.#kept.values()].map((k) => k.pump));
		await Promise.allSettled(pumps.flatMap((p) => (p.status === 'fulfilled' ? [p.value.done] : [])));
	}

	#keep(id: string, stop: Linked, pump: Promise<Pump>): void {
		pump.catch(() => {});
		this.#kept.set(id, { pump, stop });
		void pump.then(
			(p) => p.done.finally(() => stop[Symbol.dispose]()).catch(() => {}),
			() => stop[Symbol.dispose](),
		);
	}
}
