/** One priority level: its queues, what it may use of the server, and what it lately wanted. */
import type { PriorityLevelConfiguration, PriorityLevelConfigurationSpec } from '../../../api/gen/types.ts';
import type { Clock } from '../../../base/clock.ts';
import { FairQueues, type QueueShape } from './fair-queues.ts';
import { RetryAfter } from './retry-after.ts';
import { ShareTimes } from './share-times.ts';

/** How fast old demand is forgotten: its half-life is five minutes at one look every ten seconds (upstream's seatDemandSmoothingCoefficient). */
const SMOOTHING = 0.977;
/** Of a level's seats, the most that one request may take. */
const MAX_SEATS_PART = 0.15;
/** Of the server's seats, what a level without any is measured by. */
const IDLE_PART = 0.1;

const SEAT_USE = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];
const REQUEST_USE = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1];
const DEMAND = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6];

export interface SeatDemand {
	average: number;
	deviation: number;
	highest: number;
	smoothed: number;
	target: number;
}

export class PriorityLevel {
	readonly name: string;
	configuration: PriorityLevelConfiguration;
	readonly queues: FairQueues;
	readonly retryAfter = new RetryAfter();
	/** Its configuration is gone; it stays until its last request has. */
	isQuiescing = false;
	nominal = 0;
	lower = 0;
	upper = 0;
	current = 0;
	/** What shares of it are told of: the seats that it has now. */
	denominator = 1;
	/** Shares of the seats in use and wanted, of the requests that run, and of those that may wait. */
	readonly times: Readonly<Record<'seats' | 'demand' | 'running' | 'waiting', ShareTimes>>;
	readonly #clock: Clock;
	#serverSeats = 0;
	readonly demand: SeatDemand = { average: 0, deviation: 0, highest: 0, smoothed: 0, target: 0 };
	/** 0: the level sets none. */
	maxSeats = 0;
	/** Since the start, for the debugging pages. */
	readonly counts = { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0 };

	constructor(configuration: PriorityLevelConfiguration, clock: Clock) {
		this.name = configuration.metadata.name ?? '';
		this.configuration = configuration;
		this.#clock = clock;
		this.queues = new FairQueues(clock, shapeOf(configuration.spec), 0);
		const { seats, demand, running, waiting } = this.queues;
		this.times = {
			seats: new ShareTimes(seats, SEAT_USE, 1),
			demand: new ShareTimes(demand, DEMAND, 1),
			running: new ShareTimes(running, REQUEST_USE, 1),
			waiting: new ShareTimes(waiting, REQUEST_USE, 1),
		};
	}

	get isExempt(): boolean {
		return this.configuration.spec?.type === 'Exempt';
	}
	get shares(): number {
		return portions(this.configuration.spec).shares;
	}

	/** Its part of the server's seats, of which it may lend and to which it may borrow. */
	size(serverSeats: number, allShares: number): void {
		const { shares, lendable, borrowing } = portions(this.configuration.spec);
		const isNew = this.upper === 0;
		this.#serverSeats = serverSeats;
		this.nominal = allShares === 0 ? 0 : Math.ceil((serverSeats * shares) / allShares);
		const lent = Math.round((this.nominal * lendable) / 100);
		this.lower = this.nominal - lent;
		this.upper = this.nominal + (borrowing === undefined ? serverSeats : Math.round((this.nominal * borrowing) / 100));
		const handSize = this.configuration.spec?.limited?.limitResponse?.queuing?.handSize ?? 0;
		this.maxSeats =
			handSize === 0 ? 0 : Math.max(1, Math.min(Math.ceil(this.nominal * MAX_SEATS_PART), Math.floor(this.nominal / handSize)));
		if (isNew) this.current = this.nominal - Math.floor(lent / 2);
	}

	/** Takes in what was wanted since the last look. */
	observe(now: number): void {
		const { average, deviation, max, ms } = this.queues.demand.take(now);
		this.demand.highest = max;
		if (ms <= 0) return;
		const envelope = average + deviation;
		this.demand.average = average;
		this.demand.deviation = deviation;
		this.demand.smoothed = Math.max(envelope, SMOOTHING * this.demand.smoothed + (1 - SMOOTHING) * envelope);
	}

	/** The least it gets of what is shared out: what it needed at its busiest, but no more than its own part. */
	get least(): number {
		return Math.max(this.lower, Math.min(this.nominal, this.demand.highest));
	}

	apply(seats: number): void {
		this.current = seats;
		this.queues.configure(shapeOf(this.configuration.spec), seats);
		this.denominator = seats > 0 ? seats : Math.max(1, Math.round(this.#serverSeats * IDLE_PART));
		const now = this.#clock.monotonic();
		for (const times of [this.times.seats, this.times.demand, this.times.running]) times.resize(this.denominator, now);
		const { queues, lengthLimit } = this.queues.shape;
		this.times.waiting.resize(Math.max(1, queues) * Math.max(1, lengthLimit), now);
	}
}

function portions(spec: PriorityLevelConfigurationSpec | undefined): {
	readonly shares: number;
	readonly lendable: number;
	readonly borrowing: number | undefined;
} {
	if (spec?.type === 'Exempt')
		return { shares: spec.exempt?.nominalConcurrencyShares ?? 0, lendable: spec.exempt?.lendablePercent ?? 0, borrowing: undefined };
	const { nominalConcurrencyShares, lendablePercent, borrowingLimitPercent } = spec?.limited ?? {};
	return { shares: nominalConcurrencyShares ?? 30, lendable: lendablePercent ?? 0, borrowing: borrowingLimitPercent };
}

function shapeOf(spec: PriorityLevelConfigurationSpec | undefined): QueueShape {
	if (spec?.type === 'Exempt') return { queues: -1, lengthLimit: 0 };
	const queuing = spec?.limited?.limitResponse?.queuing;
	return queuing === undefined
		? { queues: 0, lengthLimit: 0 }
		: { queues: queuing.queues ?? 64, lengthLimit: queuing.queueLengthLimit ?? 50 };
}

/** False for what validation should have refused: such a level counts as absent. */
export function isWhole({ metadata, spec }: PriorityLevelConfiguration): boolean {
	if (spec === undefined || (spec.type === 'Exempt') !== (metadata.name === 'exempt')) return false;
	if (spec.type === 'Exempt') return spec.limited === undefined;
	const response = spec.limited?.limitResponse;
	return response !== undefined && (response.type === 'Reject') === (response.queuing === undefined);
}
