/** How long a request may take that is neither a plain read nor a stream. */
import { badRequest } from '../../../api/status.ts';
import { parseDuration } from '../../../api/time.ts';
import { withDeadline, type Deadline } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import { EqualTimers } from '../../../base/equal-timers.ts';
import { AppError, codeOf, messageOf } from '../../../base/errors.ts';
import type { ApiRequest } from '../contracts.ts';
import type { RequestInfo } from './request-info.ts';

/** Upstream's --request-timeout unless told. Watches and upgraded streams last longer. */
export const TIMEOUT_MS = 60_000;
/** Of it, whoever writes one object takes no more, once its turn has come (upstream's requestTimeoutUpperBound). */
const WRITE_MS = 34_000;
const WRITES_ONE = new Set(['create', 'update', 'patch', 'delete']);
const WHAT = 'The request';

export function writesOne(info: RequestInfo): boolean {
	return info.type === 'resource' && WRITES_ONE.has(info.verb);
}

/** What became of a request that nobody waited for any more, in the words of upstream's handlers. */
export class GivenUp extends AppError {
	/** The request itself still had time: who served it says so, in the form that was asked for. */
	readonly isAnswer: boolean;

	/** @param signal undefined: there was no time for it from the beginning */
	constructor(signal: AbortSignal | undefined, hasTime = false) {
		const isLate = signal === undefined || codeOf(signal.reason) === 'DeadlineExceeded';
		const why = isLate ? 'context deadline exceeded' : 'context canceled';
		super('DeadlineExceeded', `request did not complete within requested timeout - ${why}`, { cause: signal?.reason });
		this.isAnswer = isLate && hasTime;
	}
}

/** As `?timeout=5s` asks, but no longer than usual. StatusError BadRequest, in upstream's words. */
export function timeoutOf(query: URLSearchParams, usualMs = TIMEOUT_MS): number {
	const given = query.size === 0 ? '' : (query.get('timeout') ?? '');
	if (given === '') return usualMs;
	let ms: number;
	try {
		ms = Number(parseDuration(given)) / 1e6;
	} catch (error) {
		throw badRequest(`invalid timeout specified in the request URL - ${messageOf(error)}`);
	}
	return ms > 0 ? Math.min(ms, usualMs) : usualMs;
}

interface Running {
	readonly started: number;
	readonly timeoutMs: number;
}

/** Of the usual time it takes a deadline to tell. */
export function isOverdue({ started, timeoutMs }: Running, clock: Clock, usualMs: number): boolean {
	return timeoutMs < usualMs && clock.monotonic() - started > timeoutMs;
}

export interface RequestDeadline extends Deadline {
	/** Of the request; the signal may have told of the end of less. */
	readonly hasTime: boolean;
}

/** Signals that abort when the client goes away or the time is over: one for both, since every write makes it. */
export class Deadlines {
	readonly #clock: Clock;
	/** Nearly all requests have the usual time. */
	readonly #usual: EqualTimers;
	readonly #writes: EqualTimers;
	readonly #usualMs: number;

	constructor(clock: Clock, usualMs: number) {
		this.#clock = clock;
		this.#usual = new EqualTimers(clock, usualMs);
		this.#writes = new EqualTimers(clock, WRITE_MS);
		this.#usualMs = usualMs;
	}

	/** @param isWrite of one object: its signal aborts sooner, while its body may come for all of the time */
	of(request: ApiRequest, ms: number, isWrite = false): RequestDeadline {
		const isSooner = isWrite && ms > WRITE_MS;
		const firstMs = isSooner ? WRITE_MS : ms;
		if (request.onGone === undefined) return Object.assign(withDeadline(this.#clock, firstMs, WHAT, request.signal), { hasTime: isSooner });
		const armed = new Armed(request, ms, isSooner ? ms - WRITE_MS : 0, this.#clock);
		const late = (): void => armed.strike();
		if (isSooner) armed.timer = this.#writes.after(late);
		else armed.timer = ms === this.#usualMs ? this.#usual.after(late) : this.#clock.after(ms, late);
		request.onGone((why) => armed.abort(why));
		return armed;
	}
}

/** A class: V8 makes objects of computed names in its runtime, and every write has one. */
class Armed implements RequestDeadline {
	timer: Disposable | undefined;
	readonly #controller = new AbortController();
	readonly #request: ApiRequest;
	readonly #ms: number;
	readonly #clock: Clock;
	/** What is left of the request's time when the timer rings. */
	#leftMs: number;

	constructor(request: ApiRequest, ms: number, leftMs: number, clock: Clock) {
		this.#request = request;
		this.#ms = ms;
		this.#leftMs = leftMs;
		this.#clock = clock;
	}

	get signal(): AbortSignal {
		return this.#controller.signal;
	}
	get hasTime(): boolean {
		return this.#leftMs > 0;
	}

	abort(why: AppError): void {
		this.#controller.abort(why);
	}

	strike(): void {
		const ms = this.#ms - this.#leftMs;
		const why = new AppError('DeadlineExceeded', `${WHAT} took longer than ${ms} ms`);
		this.#controller.abort(why);
		if (!this.hasTime) return this.#request.stopReading?.(why);
		this.timer = this.#clock.after(this.#leftMs, () => {
			this.#leftMs = 0;
			this.strike();
		});
	}

	[Symbol.dispose](): void {
		this.timer?.[Symbol.dispose]();
	}
}
