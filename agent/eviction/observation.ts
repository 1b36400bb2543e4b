/** Which thresholds are met by what is left, since when, and what the node says of itself because of it (upstream eviction/helpers.go). Pure. */
import { amountIn, type Signal, type Threshold } from './threshold.ts';

export interface Observation {
	readonly available: number;
	readonly capacity: number;
}

export type Observations = ReadonlyMap<Signal, Observation>;

/** What is short, as upstream's messages name it. */
export type Starved = 'memory' | 'ephemeral-storage' | 'inodes' | 'pids';

export interface Pressure {
	readonly memory: boolean;
	readonly disk: boolean;
	readonly pid: boolean;
}

export const NO_PRESSURE: Pressure = { memory: false, disk: false, pid: false };

export function starvedOf(signal: Signal): Starved {
	switch (signal) {
		case 'memory.available':
		case 'allocatableMemory.available':
			return 'memory';
		case 'nodefs.available':
		case 'imagefs.available':
		case 'containerfs.available':
			return 'ephemeral-storage';
		case 'nodefs.inodesFree':
		case 'imagefs.inodesFree':
		case 'containerfs.inodesFree':
			return 'inodes';
		case 'pid.available':
			return 'pids';
	}
}

/** @param withReclaim a threshold that was met before is still met until its minimum reclaim is free too */
export function met(thresholds: readonly Threshold[], seen: Observations, withReclaim = false): readonly Threshold[] {
	return thresholds.filter(({ signal, limit, minReclaim }) => {
		const found = seen.get(signal);
		if (found === undefined) return false;
		const more = withReclaim && minReclaim !== undefined ? amountIn(minReclaim, found.capacity) : 0;
		return found.available < amountIn(limit, found.capacity) + more;
	});
}

/** Memory first: it runs out fastest. */
export function mostUrgent(thresholds: readonly Threshold[]): Threshold | undefined {
	return thresholds.find((t) => starvedOf(t.signal) === 'memory') ?? thresholds[0];
}

/** What upstream remembers from one look to the next. */
export class ThresholdHistory {
	readonly #transitionMs: number;
	#firstMet = new Map<Threshold, number>();
	#lastMet: readonly Threshold[] = [];
	readonly #pressureSeen = new Map<keyof Pressure, number>();
	#lastObservations: Observations = new Map();

	constructor(transitionMs: number) {
		this.#transitionMs = transitionMs;
	}

	/** The thresholds to act on now, and what the node's conditions say. */
	observe(
		thresholds: readonly Threshold[],
		seen: Observations,
		now: number,
	): { readonly due: readonly Threshold[]; readonly pressure: Pressure } {
		const unresolved = met(this.#lastMet, seen, true);
		const all = thresholds.filter((t) => met([t], seen).length > 0 || unresolved.includes(t));
		this.#firstMet = new Map(all.map((t) => [t, this.#firstMet.get(t) ?? now]));
		for (const t of all) this.#pressureSeen.set(conditionOf(t.signal), now);
		const due = all.filter((t) => now - (this.#firstMet.get(t) ?? now) >= t.graceMs);
		this.#lastMet = due;
		this.#lastObservations = seen;
		return { due, pressure: this.pressure(now) };
	}

	/** A pressure is over once it has not been seen for the transition period. */
	pressure(now: number): Pressure {
		const holds = (kind: keyof Pressure): boolean => now - (this.#pressureSeen.get(kind) ?? Number.NEGATIVE_INFINITY) < this.#transitionMs;
		return { memory: holds('memory'), disk: holds('disk'), pid: holds('pid') };
	}

	get observations(): Observations {
		return this.#lastObservations;
	}
}

function conditionOf(signal: Signal): keyof Pressure {
	const starved = starvedOf(signal);
	return starved === 'memory' ? 'memory' : starved === 'pids' ? 'pid' : 'disk';
}
