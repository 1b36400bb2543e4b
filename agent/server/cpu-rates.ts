/** CPU time as a rate: cores in use between two looks. */

interface Look {
	readonly nanos: number;
	readonly at: number;
	/** Of the time before this look. */
	readonly rate: number | undefined;
}

/** Two looks closer than this say little. */
const LEAST_MS = 1000;
/** What has not been looked at for so long is forgotten. */
const FORGET_MS = 600_000;

export class CpuRates {
	readonly #looks = new Map<string, Look>();

	/** Nanocores since the look before; undefined at the first. */
	observe(id: string, nanos: number, at: number): number | undefined {
		const before = this.#looks.get(id);
		if (before !== undefined && at - before.at < LEAST_MS) return before.rate;
		const rate = before === undefined || nanos < before.nanos ? undefined : Math.round(((nanos - before.nanos) / (at - before.at)) * 1000);
		this.#looks.set(id, { nanos, at, rate });
		for (const [other, look] of this.#looks) if (at - look.at > FORGET_MS) this.#looks.delete(other);
		return rate;
	}
}
