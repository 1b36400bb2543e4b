/**
 * How many requests are served at once where nobody is given a turn (upstream's max-in-flight filter, --enable-priority-and-fairness=false):
 * what comes on top is refused, whoever asks but administrators.
 */
import type { Clock } from '../../../base/clock.ts';
import { SUPERUSERS } from '../authz/chain.ts';
import type { UserInfo } from '../contracts.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { FairnessOptions, Pass, Refused } from './fairness.ts';
import type { ReadsAndWrites } from './metrics.ts';
import { Occupancy } from './occupancy.ts';

const READS = new Set(['get', 'list', 'watch']);
const REFUSED: Refused = { type: 'refused', flow: undefined, retryAfterSeconds: 1 };
const FREE: Pass = { type: 'pass', flow: undefined, leave: () => {} };

export class InFlightLimits {
	readonly inFlight: ReadsAndWrites;
	readonly #limits: FairnessOptions;
	readonly #clock: Clock;

	/** @param limits 0: as many as come */
	constructor(limits: FairnessOptions, clock: Clock) {
		this.#limits = limits;
		this.#clock = clock;
		const phases = (): ReadsAndWrites['readOnly'] => ({
			executing: new Occupancy(clock.monotonic()),
			waiting: new Occupancy(clock.monotonic()),
		});
		this.inFlight = { readOnly: phases(), mutating: phases() };
	}

	/** @param now ms of the monotonic clock */
	enter({ verb }: RequestInfo, user: UserInfo, now: number): Pass | Refused {
		const isRead = READS.has(verb);
		const limit = isRead ? this.#limits.maxRequests : this.#limits.maxMutatingRequests;
		if (limit === 0) return FREE;
		const { executing } = isRead ? this.inFlight.readOnly : this.inFlight.mutating;
		// They must be able to help a server that is overrun.
		if (executing.count >= limit) return user.groups.includes(SUPERUSERS) ? FREE : REFUSED;
		executing.add(1, now);
		let left = false;
		return {
			type: 'pass',
			flow: undefined,
			leave: () => {
				if (!left) executing.add(-1, this.#clock.monotonic());
				left = true;
			},
		};
	}
}
