/** A kubelet that turns away its daemon pod is not asked again at once: one second, doubled up to a quarter of an hour (upstream's failedPodsBackoff). */
import type { Key } from '../../../api/resource.ts';
import type { Clock } from '../../../base/clock.ts';

const FIRST_MS = 1000;
const MAX_MS = 15 * 60_000;

interface Entry {
	readonly waitMs: number;
	readonly since: number;
	readonly generation: number;
}

export class FailedPods {
	readonly #clock: Clock;
	readonly #bySet = new Map<Key, Map<string, Entry>>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Counts as a try when it says yes. A new generation of the set begins anew. */
	mayRetry(set: Key, generation: number, node: string): boolean {
		const nodes = this.#bySet.get(set) ?? new Map<string, Entry>();
		this.#bySet.set(set, nodes);
		const now = this.#clock.monotonic();
		const entry = nodes.get(node);
		if (entry === undefined || entry.generation !== generation || now - entry.since > 2 * MAX_MS) {
			nodes.set(node, { waitMs: FIRST_MS, since: now, generation });
			return true;
		}
		if (now - entry.since < entry.waitMs) return false;
		nodes.set(node, { waitMs: Math.min(MAX_MS, entry.waitMs * 2), since: now, generation });
		return true;
	}

	/** How long until each node may be tried again. */
	waits(set: Key): readonly number[] {
		const now = this.#clock.monotonic();
		return [...(this.#bySet.get(set)?.values() ?? [])].map(({ since, waitMs }) => since + waitMs - now).filter((ms) => ms > 0);
	}

	forget(set: Key): void {
		this.#bySet.delete(set);
	}
}
