/** One request's time in a priority level, and the queue it may wait in. */
import { Place } from '../../../base/ring.ts';
import type { UserInfo } from '../contracts.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { Work } from './work-estimate.ts';

/** What a request is taken to last until it is known how long it did (upstream's estimatedServiceDuration). */
export const GUESSED_MS = 3;

export interface Queue {
	readonly index: number;
	readonly waiting: Turn[];
	running: number;
	seats: number;
	/** Sum of the work that waits. */
	work: number;
	/** Where in virtual time the next request of this queue starts. */
	nextAt: number;
}

/** Whose turn it is, for the debugging pages. */
export interface Asker {
	readonly schema: string;
	/** The user or namespace that the schema tells flows apart by. */
	readonly flow: string;
	readonly user: UserInfo;
	readonly info: RequestInfo;
	readonly path: string;
}

/** One request's time in the level; while it runs, a place among those that do. */
export class Turn extends Place {
	readonly asker: Asker;
	work: Work;
	seats: number;
	/** Called when a waiting one may run. */
	readonly onRun: () => void;
	queue: Queue | undefined;
	/** By the monotonic clock; it has not started where it waits. */
	cameAt = 0;
	startedAt: number | undefined;
	/** In virtual time. */
	arrivedAt = 0;

	constructor(asker: Asker, work: Work, onRun: () => void) {
		super();
		this.asker = asker;
		this.work = work;
		this.seats = Math.max(work.initialSeats, work.finalSeats);
		this.onRun = onRun;
	}

	/** More seats after its answer than there are at all become as many as there are, for longer. */
	narrow(limit: number): void {
		const { initialSeats, finalSeats, finalMs } = this.work;
		if (finalSeats <= limit || limit < 1) return;
		this.work = { initialSeats, finalSeats: limit, finalMs: (finalSeats * finalMs) / limit };
		this.seats = Math.max(initialSeats, limit);
	}

	get total(): number {
		return this.work.initialSeats * GUESSED_MS + this.work.finalSeats * this.work.finalMs;
	}
}
