/**
 * API priority and fairness: each request is given to the level of the first flow schema that matches it, and runs when that level has seats
 * for it. What waits too long, or finds its queue full, is refused. Exempt requests and those of idle levels pass in the same turn.
 */
import type { Clock } from '../../../base/clock.ts';
import type { Registry } from '../../../base/metrics.ts';
import type { FlowSchema, PriorityLevelConfiguration } from '../../../api/gen/types.ts';
import type { Maybe, UserInfo } from '../contracts.ts';
import type { RequestInfo, ResourceInfo } from '../request/request-info.ts';
import type { Refusal } from './fair-queues.ts';
import { matches } from './flow-match.ts';
import { Flow } from './flow.ts';
import { levelOf, Levels } from './levels.ts';
import { FlowMetrics, type ReadsAndWrites } from './metrics.ts';
import { Occupancy } from './occupancy.ts';
import { Turn } from './turn.ts';
import { WatchCounts } from './watch-counts.ts';
import { workOf, type CollectionSize, type Work } from './work-estimate.ts';

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection', 'post', 'put']);
const PATH_WORK: Work = { initialSeats: 1, finalSeats: 0, finalMs: 0 };

/** A request that may run; `leave` once it has been answered. */
export interface Pass {
	readonly type: 'pass';
	/** Undefined where requests are not classed. */
	readonly flow: Flow | undefined;
	leave(): void;
}

export interface Refused {
	readonly type: 'refused';
	readonly flow: Flow | undefined;
	readonly retryAfterSeconds: number;
}

export interface FairnessOptions {
	/** --max-requests-inflight and --max-mutating-requests-inflight: their sum is shared out. */
	readonly maxRequests: number;
	readonly maxMutatingRequests: number;
}

export interface Asking {
	readonly info: RequestInfo;
	readonly user: UserInfo;
	readonly query: URLSearchParams;
	readonly path: string;
	/** How long it may wait. */
	readonly waitMs: number;
	/** Asked for only by those that have to wait. */
	readonly signal: () => AbortSignal;
}

interface Matching {
	readonly schema: FlowSchema;
	readonly flow: Flow;
}

interface Deps {
	readonly clock: Clock;
	readonly metrics: Registry;
	/** What a collection holds, to estimate what listing it costs; undefined when it is none of ours. */
	readonly sizeOf: (info: ResourceInfo) => CollectionSize | undefined;
}

export class Fairness {
	readonly #deps: Deps;
	readonly levels: Levels;
	readonly watches = new WatchCounts();
	readonly inFlight: ReadsAndWrites;
	readonly #metrics: FlowMetrics;
	/** By schema, in the order of `levels.schemas`. */
	#flows: readonly Matching[] = [];
	/** Users and requests come again and again as the same objects. */
	#known = new WeakMap<UserInfo, WeakMap<RequestInfo, Flow>>();

	constructor(options: FairnessOptions, deps: Deps) {
		this.#deps = deps;
		const { clock } = deps;
		this.levels = new Levels(clock, options.maxRequests + options.maxMutatingRequests);
		const phases = (): ReadsAndWrites['readOnly'] => ({
			executing: new Occupancy(clock.monotonic()),
			waiting: new Occupancy(clock.monotonic()),
		});
		this.inFlight = { readOnly: phases(), mutating: phases() };
		const limits = { reads: options.maxRequests, writes: options.maxMutatingRequests };
		this.#metrics = new FlowMetrics(deps.metrics, this.levels, this.inFlight, limits, () => clock.monotonic());
		this.#useLevels();
	}

	configure(configurations: readonly PriorityLevelConfiguration[], schemas: readonly FlowSchema[]): void {
		this.levels.configure(configurations, schemas);
		this.#useLevels();
	}

	/** At once where there is room. Never rejects. */
	enter(asking: Asking, now: number): Maybe<Pass | Refused> {
		const { info, user, query, path } = asking;
		const flow = this.#classify(user, info);
		const { level, series } = flow;
		const work = this.#work(flow, info, query);
		const seats = Math.max(work.initialSeats, work.finalSeats);
		series.width().observe(seats);
		const { executing, waiting } = isWrite(info) ? this.inFlight.mutating : this.inFlight.readOnly;
		let run: (() => void) | undefined;
		const asker = { schema: flow.schema, flow: flow.distinguish(user, info), user, info, path };
		const turn = new Turn(asker, work, () => run?.());
		const hand = flow.hand(user, info);
		const started = level.queues.start(turn, hand, now);
		if (started === 'running') {
			if (hand.length > 0) series.queueLength().observe((turn.queue?.waiting.length ?? 0) + 1);
			if (!level.isExempt) series.waited().observe(0);
			return this.#run(flow, turn, executing, info, now);
		}
		if (started !== 'waiting') {
			series.refused().observe(0);
			return this.#refuse(flow, started);
		}
		const { promise, resolve } = Promise.withResolvers<void>();
		run = resolve;
		series.queueLength().observe(turn.queue?.waiting.length ?? 0);
		series.waiting++;
		series.hasWaited = true;
		series.waitingSeats += seats;
		waiting.add(1, now);
		return this.#wait(flow, turn, promise, asking).then((outcome) => {
			const then = this.#deps.clock.monotonic();
			series.waiting--;
			series.waitingSeats -= seats;
			waiting.add(-1, then);
			// Who has waited in vain is under "true" with upstream, too.
			series.waited().observe((then - now) / 1000);
			return outcome === 'run' ? this.#run(flow, turn, executing, info, then) : this.#refuse(flow, outcome);
		});
	}

	#run(flow: Flow, turn: Turn, executing: Occupancy, info: RequestInfo, now: number): Pass {
		const { level, series } = flow;
		const { clock } = this.#deps;
		level.counts.dispatched++;
		series.dispatched++;
		series.executing++;
		series.executingSeats += turn.seats;
		executing.add(1, now);
		let left = false;
		return {
			type: 'pass',
			flow,
			leave: () => {
				if (left) return;
				left = true;
				const end = clock.monotonic();
				series.executing--;
				series.executingSeats -= turn.seats;
				executing.add(-1, end);
				(info.verb === 'watch' ? series.watch() : series.regular()).observe((end - now) / 1000);
				level.queues.finish(turn, end);
			},
		};
	}

	#refuse(flow: Flow, why: Refusal): Refused {
		flow.refused(why);
		return { type: 'refused', flow, retryAfterSeconds: flow.level.retryAfter.refuse(this.#deps.clock.now()) };
	}

	/** Until its turn comes, it has waited too long, or nobody wants it any more. */
	async #wait(flow: Flow, turn: Turn, mayRun: Promise<void>, asking: Asking): Promise<'run' | Refusal> {
		const signal = asking.signal();
		const { promise, resolve } = Promise.withResolvers<Refusal>();
		using _timer = this.#deps.clock.after(asking.waitMs, () => resolve('time-out'));
		const gone = (): void => resolve('cancelled');
		signal.addEventListener('abort', gone, { once: true });
		if (signal.aborted) gone();
		try {
			const outcome = await Promise.race([mayRun.then(() => 'run' as const), promise]);
			if (outcome !== 'run' && !flow.level.queues.cancel(turn)) return 'run';
			return outcome;
		} finally {
			signal.removeEventListener('abort', gone);
		}
	}

	#classify(user: UserInfo, info: RequestInfo): Flow {
		let ofUser = this.#known.get(user);
		if (ofUser === undefined) this.#known.set(user, (ofUser = new WeakMap()));
		let flow = ofUser.get(info);
		if (flow === undefined) {
			// The last one matches everybody.
			const found = this.#flows.find(({ schema }) => matches(schema, user, info)) ?? (this.#flows.at(-1) as Matching);
			ofUser.set(info, (flow = found.flow));
		}
		return flow;
	}

	#work(flow: Flow, info: RequestInfo, query: URLSearchParams): Work {
		if (info.type === 'path' || info.verb === 'get') return PATH_WORK;
		const watchers = (): number => {
			const count = this.watches.of(info);
			flow.series.watchers().observe(count);
			return count;
		};
		return workOf(info, query, () => this.#deps.sizeOf(info), watchers, flow.level.maxSeats);
	}

	#useLevels(): void {
		this.#known = new WeakMap();
		this.#flows = this.levels.schemas.flatMap((schema) => {
			const level = this.levels.get(levelOf(schema));
			if (level === undefined) return [];
			return [{ schema, flow: new Flow(schema, level, this.#metrics.of(schema.metadata.name ?? '', level.name)) }];
		});
	}
}

export function isWrite(info: RequestInfo): boolean {
	return WRITES.has(info.verb);
}
