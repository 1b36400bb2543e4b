/** Counters that devices of a pool draw on (upstream's DRAPartitionableDevices): what is left of them while devices are looked for. */
import type { Device } from '../../../api/gen/types.ts';
import { parseQuantity } from '../../../api/quantity.ts';
import { idOf, type Pool } from './pools.ts';

/** By set and counter. */
type Left = Map<string, bigint>;

export class Counters {
	readonly #left = new Map<Pool, Left>();
	readonly #isGiven: (id: string) => boolean;

	/** @param isGiven whether a claim has the device, or a share of it, already */
	constructor(isGiven: (id: string) => boolean) {
		this.#isGiven = isGiven;
	}

	/** False, and nothing taken, where there are too few; a pool of which more is in use than there is gives nothing more. */
	take(pool: Pool, device: Device): boolean {
		const left = this.#of(pool);
		draw(left, device, -1n);
		if ([...left.values()].every((amount) => amount >= 0n)) return true;
		draw(left, device, 1n);
		return false;
	}

	giveBack(pool: Pool, device: Device): void {
		draw(this.#of(pool), device, 1n);
	}

	#of(pool: Pool): Left {
		const known = this.#left.get(pool);
		if (known !== undefined) return known;
		const left: Left = new Map();
		for (const { name, counters } of pool.counterSets.values())
			for (const [counter, { value }] of Object.entries(counters)) left.set(keyOf(name, counter), parseQuantity(value).nano);
		for (const { id, device } of pool.devices) if (this.#isGiven(id)) draw(left, device, -1n);
		for (const slice of pool.elsewhere)
			for (const device of slice.spec.devices ?? []) if (this.#isGiven(idOf(slice, device))) draw(left, device, -1n);
		this.#left.set(pool, left);
		return left;
	}
}

function draw(left: Left, { consumesCounters = [] }: Device, sign: 1n | -1n): void {
	for (const { counterSet, counters } of consumesCounters)
		for (const [counter, { value }] of Object.entries(counters)) {
			const key = keyOf(counterSet, counter);
			left.set(key, (left.get(key) ?? 0n) + sign * parseQuantity(value).nano);
		}
}

/** Names have no slash. */
function keyOf(counterSet: string, counter: string): string {
	return `${counterSet}/${counter}`;
}
