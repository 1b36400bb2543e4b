/**
 * The queues of one priority level and the seats it hands out: every queue gets the same share of them, whatever waits in the others.
 * Each queue has a place on a line of virtual time, which passes at the rate at which one busy queue is served; of those that wait, the
 * one whose oldest request would be done first there comes next (fair queuing for server requests, upstream's fairqueuing/queueset).
 *
 *     start() ──► rejected
 *        │
 *        ├──► waiting ──cancel()──► gone
 *        │       │ seats are free
 *        ▼       ▼
 *         running ──finish()──► (its final seats for a while) ──► gone
 */
import type { Clock } from '../../../base/clock.ts';
import { members, Place } from '../../../base/ring.ts';
import { Dispatches } from './dispatches.ts';
import { Occupancy } from './occupancy.ts';
import { GUESSED_MS, type Queue, type Turn } from './turn.ts';

export interface QueueShape {
	/** 0: there are none, what finds no seat is refused; -1: there is no limit at all. */
	readonly queues: number;
	readonly lengthLimit: number;
}

export type Refusal = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

export class FairQueues {
	readonly #clock: Clock;
	#shape: QueueShape;
	#limit: number;
	#queues: Queue[] = [];
	#active = 0;
	#virtual = 0;
	#syncedAt: number;
	#robin = 0;
	#enqueued = 0;
	readonly #executing = new Place();
	/** Seats taken, requests that run, requests that wait, and seats that could be used: with the time spent at each. */
	readonly seats: Occupancy;
	readonly running: Occupancy;
	readonly waiting: Occupancy;
	readonly demand: Occupancy;
	readonly dispatches = new Dispatches();

	constructor(clock: Clock, shape: QueueShape, limit: number) {
		this.#clock = clock;
		this.#shape = shape;
		this.#limit = limit;
		const now = clock.monotonic();
		this.#syncedAt = now;
		this.seats = new Occupancy(now);
		this.running = new Occupancy(now);
		this.waiting = new Occupancy(now);
		this.demand = new Occupancy(now);
		this.configure(shape, limit);
	}

	get isIdle(): boolean {
		return this.running.count === 0 && this.waiting.count === 0 && this.seats.count === 0;
	}
	get limit(): number {
		return this.#limit;
	}
	get virtualSeconds(): number {
		return this.#virtual / 1000;
	}
	get shape(): QueueShape {
		return this.#shape;
	}

	/** Another number of queues or seats; who waits stays in line. */
	configure(shape: QueueShape, limit: number): void {
		const now = this.#clock.monotonic();
		this.#pass(now);
		this.#shape = shape;
		this.#limit = limit;
		while (this.#queues.length < shape.queues)
			this.#queues.push({ index: this.#queues.length, waiting: [], running: 0, seats: 0, work: 0, nextAt: 0 });
		this.#drop();
		this.#dispatch(now);
	}

	/** @param hand the queues the request's flow may use */
	start(turn: Turn, hand: readonly number[], now: number): 'running' | 'waiting' | Refusal {
		const { queues, lengthLimit } = this.#shape;
		turn.cameAt = now;
		if (queues < 1) {
			if (!this.#fits(turn.seats)) return 'concurrency-limit';
			this.#run(turn, now);
			return 'running';
		}
		this.#pass(now);
		const queue = this.#choose(hand);
		if (this.seats.count >= this.#limit && queue.waiting.length >= lengthLimit) return 'queue-full';
		turn.queue = queue;
		turn.arrivedAt = this.#virtual;
		if (queue.waiting.length === 0 && queue.running === 0) {
			queue.nextAt = this.#virtual;
			this.#active++;
		}
		// Nobody waits and there is room: as if it had been in the queue for no time.
		if (this.waiting.count === 0 && this.#fits(turn.seats)) {
			turn.narrow(this.#limit);
			this.dispatches.begin();
			this.dispatches.consider(queue);
			this.dispatches.take(queue, this.#virtual);
			this.#run(turn, now);
			queue.nextAt += turn.total;
			return 'running';
		}
		queue.waiting.push(turn);
		queue.work += turn.total;
		this.waiting.add(1, now);
		this.demand.add(turn.seats, now);
		this.#bound(queue);
		// Its own turn may come at once: the caller is told by the answer, not by the call.
		this.#dispatch(now, turn);
		return queue.waiting.includes(turn) ? 'waiting' : 'running';
	}

	/** It waits no longer. False: it runs already. */
	cancel(turn: Turn): boolean {
		const { queue } = turn;
		const at = queue?.waiting.indexOf(turn) ?? -1;
		if (queue === undefined || at < 0) return false;
		const now = this.#clock.monotonic();
		this.#pass(now);
		queue.waiting.splice(at, 1);
		queue.work -= turn.total;
		this.waiting.add(-1, now);
		this.demand.add(-turn.seats, now);
		this.#bound(queue);
		this.#quiet(queue);
		return true;
	}

	/** It has been served. */
	finish(turn: Turn, now: number): void {
		this.#pass(now);
		this.running.add(-1, now);
		turn.leave();
		const { queue, work } = turn;
		if (queue !== undefined) {
			queue.running--;
			queue.nextAt -= work.initialSeats * (GUESSED_MS - (now - (turn.startedAt ?? now)));
			this.#bound(queue);
			this.#quiet(queue);
		}
		if (work.finalMs <= 0) return this.#release(turn, now);
		this.#clock.after(work.finalMs, () => this.#release(turn, this.#clock.monotonic()));
		// One that is wider than the level may run beside seats that nobody uses any more.
		if (this.waiting.count > 0) this.#dispatch(now);
	}

	/** For the debugging pages. */
	dump(): readonly Readonly<Queue>[] {
		return this.#queues;
	}
	get executing(): readonly Turn[] {
		return members(this.#executing);
	}

	#release(turn: Turn, now: number): void {
		this.#pass(now);
		this.seats.add(-turn.seats, now);
		this.demand.add(-turn.seats, now);
		if (turn.queue !== undefined) {
			turn.queue.seats -= turn.seats;
			this.#drop();
		}
		if (this.waiting.count > 0) this.#dispatch(now);
	}

	/** Virtual time since the last look: each busy queue's part of the seats in use. */
	#pass(now: number): void {
		const ms = now - this.#syncedAt;
		if (ms <= 0) return;
		this.#syncedAt = now;
		if (this.#active > 0) this.#virtual += (ms * Math.min(this.demand.count, this.#limit)) / this.#active;
	}

	/** Of the hand, the queue with the least work in it. */
	#choose(hand: readonly number[]): Queue {
		const offset = this.#enqueued++ % hand.length;
		let best: Queue | undefined;
		for (let i = 0; i < hand.length; i++) {
			const queue = this.#queues[hand[(offset + i) % hand.length] as number] as Queue;
			if (best === undefined || queue.work < best.work) best = queue;
		}
		return best as Queue;
	}

	#fits(seats: number): boolean {
		if (this.#shape.queues < 0) return true;
		// One that is wider than the whole level runs alone.
		if (seats > this.#limit) return this.running.count === 0;
		return this.seats.count + seats <= this.#limit;
	}

	#run(turn: Turn, now: number): void {
		turn.startedAt = now;
		turn.join(this.#executing);
		this.running.add(1, now);
		this.seats.add(turn.seats, now);
		this.demand.add(turn.seats, now);
		const { queue } = turn;
		if (queue === undefined) return;
		queue.running++;
		queue.seats += turn.seats;
	}

	#dispatch(now: number, quietly?: Turn): void {
		while (this.waiting.count > 0 && this.seats.count < this.#limit) {
			const queue = this.#next();
			const turn = queue?.waiting[0];
			if (queue === undefined || turn === undefined) return;
			if (!this.#fits(turn.seats)) {
				this.dispatches.refuse(turn.asker.schema);
				return;
			}
			this.dispatches.take(queue, this.#virtual);
			queue.waiting.shift();
			queue.work -= turn.total;
			this.#robin = queue.index;
			this.waiting.add(-1, now);
			this.demand.add(-turn.seats, now);
			turn.narrow(this.#limit);
			this.#run(turn, now);
			queue.nextAt += turn.total;
			this.#bound(queue);
			if (turn !== quietly) turn.onRun();
		}
	}

	/** The queue whose oldest request would be done first in virtual time; among equals the next in turn. */
	#next(): Queue | undefined {
		let best: Queue | undefined;
		let bestEnd = Number.POSITIVE_INFINITY;
		const count = this.#queues.length;
		this.dispatches.begin();
		for (let i = 1; i <= count; i++) {
			const queue = this.#queues[(this.#robin + i) % count] as Queue;
			const oldest = queue.waiting[0];
			if (oldest === undefined) continue;
			this.dispatches.consider(queue);
			const end = queue.nextAt + oldest.total;
			if (end < bestEnd) [best, bestEnd] = [queue, end];
		}
		return best;
	}

	/** A queue that could not use its share saves nothing up: its next start is never before the arrival. */
	#bound(queue: Queue): void {
		const oldest = queue.waiting[0];
		if (oldest !== undefined && queue.nextAt < oldest.arrivedAt) queue.nextAt = oldest.arrivedAt;
	}

	/** Seats that are kept for a while after the answer make no queue busy. */
	#quiet(queue: Queue): void {
		if (queue.waiting.length > 0 || queue.running > 0) return;
		this.#active--;
		this.#drop();
	}

	/** Queues that are no longer wanted go once they are empty, last first. */
	#drop(): void {
		for (let last = this.#queues.at(-1); last !== undefined && last.index >= Math.max(0, this.#shape.queues); last = this.#queues.at(-1)) {
			if (last.waiting.length > 0 || last.running > 0 || last.seats > 0) return;
			this.#queues.pop();
		}
	}
}
