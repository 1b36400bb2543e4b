/** Long work in short turns: pieces run one after the other until a turn has lasted its time, then the event loop gets its due. */
import type { Clock } from './clock.ts';

/** So long a turn may be: what it has written is sent in the next round of the loop and takes as long again, and requests have turns of their own. */
const TURN_MS = 1;
/** The clock is looked at after so many pieces. */
const PIECES = 8;
/** What pieces write is sent when the turn is over, for each connection at once: that takes 50 µs each, more than to write it. */
const CONNECTIONS = 8;
/** A crowd rests as long as it took, so that half of the time is left to others, but no longer than this; what it lets go first counts. */
const MOST_REST_MS = 5;

interface Piece {
	readonly run: () => void;
	readonly connection: object | undefined;
}

export class Turns {
	readonly #clock: Clock;
	/** Those that run now; the ones before the next have run. */
	#pieces: readonly Piece[] = [];
	#next = 0;
	/** What was added since they began: a list of its own, so that what has run is let go though something is added all the time. */
	#waiting: Piece[] = [];
	#planned = false;
	#until = 0;
	#isOver = false;
	/** Of the crowd: those that run now and those after the rest. */
	#crowd: readonly Piece[] = [];
	#crowdNext = 0;
	readonly #late = new Map<object | undefined, Piece[]>();
	#crowdPlanned = false;
	#crowdBegan = 0;
	#restsUntil = 0;
	#urgent = 0;
	/** For how long this crowd has let others go first, and since when it does so now. */
	#yieldedMs = 0;
	#yieldsSince: number | undefined;
	#yielding: Disposable | undefined;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/**
	 * Runs the piece once, in the order of the calls: after what the loop is at now and all its microtasks, or in a later turn when there is much.
	 * It must not throw. A piece that may last long looks at `over`, stops there and adds itself again.
	 * @param connection what it writes to, if anything: a turn writes to a few only
	 */
	add(run: () => void, connection?: object): void {
		this.#waiting.push({ run, connection });
		if (this.#planned) return;
		this.#planned = true;
		process.nextTick(this.#begin);
	}

	/**
	 * The same for one of many that want to run whenever something comes: all of them run, those of one connection next to each other, then all rest for as
	 * long. What comes meanwhile they find together, so that the more comes, the less each of it costs.
	 */
	addToCrowd(run: () => void, connection?: object): void {
		const piece = { run, connection };
		const late = this.#late.get(connection);
		if (late === undefined) this.#late.set(connection, [piece]);
		else late.push(piece);
		if (this.#crowdPlanned) return;
		this.#planCrowd();
	}

	/**
	 * Something begins whose every step takes a round of the loop, and which somebody waits for: a crowd that is on its way lets it go first, since each
	 * round would have a turn of the crowd in it. `endUrgent` once for each.
	 */
	beginUrgent(): void {
		this.#urgent++;
	}

	endUrgent(): void {
		if (--this.#urgent === 0 && this.#yieldsSince !== undefined) this.#goOn();
	}

	/** The turn has lasted its time. It ends with the piece that finds it so. */
	get over(): boolean {
		return (this.#isOver ||= this.#clock.monotonic() >= this.#until);
	}

	/** A few run at once; before many, what has been written up to now (the answer to the write that all of them are told of) is sent. */
	readonly #begin = (): void => {
		if (this.#waiting.length > PIECES) setImmediate(this.#turn);
		else this.#turn();
	};

	readonly #turn = (): void => {
		if (this.#next === this.#pieces.length) {
			this.#pieces = this.#waiting;
			this.#waiting = [];
			this.#next = 0;
		}
		this.#next = this.#run(this.#pieces, this.#next);
		if (this.#next < this.#pieces.length || this.#waiting.length > 0) {
			setImmediate(this.#turn);
			return;
		}
		this.#pieces = [];
		this.#next = 0;
		this.#planned = false;
	};

	/** Those from `from` on, until the turn is over: tells how far it came. */
	#run(pieces: readonly Piece[], from: number): number {
		this.#until = this.#clock.monotonic() + TURN_MS;
		this.#isOver = false;
		let next = from;
		let connections = 0;
		for (let last: object | undefined; next < pieces.length; next++) {
			const { run, connection } = pieces[next] as Piece;
			if (connection !== undefined && connection !== last) {
				if (connections++ === CONNECTIONS) break;
				last = connection;
			}
			run();
			if (this.#isOver || ((next - from) % PIECES === PIECES - 1 && this.over)) return next + 1;
		}
		return next;
	}

	#planCrowd(): void {
		this.#crowdPlanned = true;
		const rest = this.#restsUntil - this.#clock.monotonic();
		if (rest > 0) this.#clock.after(rest, this.#beginCrowd);
		else setImmediate(this.#beginCrowd);
	}

	readonly #beginCrowd = (): void => {
		this.#crowdBegan = this.#clock.monotonic();
		this.#crowd = [...this.#late.values()].flat();
		this.#late.clear();
		this.#crowdNext = 0;
		this.#yieldedMs = 0;
		this.#crowdTurn();
	};

	readonly #crowdTurn = (): void => {
		if (this.#yields()) return;
		this.#crowdNext = this.#run(this.#crowd, this.#crowdNext);
		if (this.#crowdNext < this.#crowd.length) {
			setImmediate(this.#crowdTurn);
			return;
		}
		this.#crowd = [];
		this.#crowdPlanned = false;
		const now = this.#clock.monotonic();
		const took = now - this.#crowdBegan - this.#yieldedMs;
		this.#restsUntil = now + Math.min(MOST_REST_MS, took) - this.#yieldedMs;
		if (this.#late.size > 0) this.#planCrowd();
	};

	#yields(): boolean {
		const left = MOST_REST_MS - this.#yieldedMs;
		if (this.#urgent === 0 || left <= 0) return false;
		this.#yieldsSince = this.#clock.monotonic();
		this.#yielding = this.#clock.after(left, this.#goOn);
		return true;
	}

	/** What is urgent is done, or has had its time. What it has written is sent first. */
	readonly #goOn = (): void => {
		this.#yielding?.[Symbol.dispose]();
		this.#yieldedMs += this.#clock.monotonic() - (this.#yieldsSince ?? 0);
		this.#yieldsSince = undefined;
		setImmediate(this.#crowdTurn);
	};
}
