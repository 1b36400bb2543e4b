/** How long a request may take that is neither a plain read nor a stream. */
import { badRequest } from '../../../api/status.ts';
import { parseDuration } from '../../../api/time.ts';
import { withDeadline, type Deadline } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import { EqualTimers } from '../../../base/equal-timers.ts';
import { AppError, codeOf, messageOf } from '../../../base/errors.ts';
import type { ApiRequest } from '../contracts.ts';

/** Upstream's --request-timeout unless told. Watches and upgraded streams last longer. */
export const TIMEOUT_MS = 60_000;
const WHAT = 'The request';

/** What became of a request that nobody waited for any more, in the words of upstream's handlers. */
export class GivenUp extends AppError {
	/** @param signal undefined: there was no time for it from the beginning */
	constructor(signal: AbortSignal | undefined) {
		const isLate = signal === undefined || codeOf(signal.reason) === 'DeadlineExceeded';
		const why = isLate ? 'context deadline exceeded' : 'context canceled';
		super('DeadlineExceeded', `request did not complete within requested timeout - ${why}`, { cause: signal?.reason });
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

/** Signals that abort when the client goes away or the time is over: one for both, since every write makes it. */
export class Deadlines {
	readonly #clock: Clock;
	/** Nearly all requests have the usual time. */
	readonly #usual: EqualTimers;
	readonly #usualMs: number;

	constructor(clock: Clock, usualMs: number) {
		this.#clock = clock;
		this.#usual = new EqualTimers(clock, usualMs);
		this.#usualMs = usualMs;
	}

	of(request: ApiRequest, ms: number): Deadline {
		if (request.onGone === undefined) return withDeadline(this.#clock, ms, WHAT, request.signal);
		const controller = new AbortController();
		const late = (): void => controller.abort(new AppError('DeadlineExceeded', `${WHAT} took longer than ${ms} ms`));
		const timer = ms === this.#usualMs ? this.#usual.after(late) : this.#clock.after(ms, late);
		request.onGone((why) => controller.abort(why));
		return new Armed(controller.signal, timer);
	}
}

/** A class: V8 makes objects of computed names in its runtime, and every write has one. */
class Armed implements Deadline {
	readonly signal: AbortSignal;
	readonly #timer: Disposable;

	constructor(signal: AbortSignal, timer: Disposable) {
		this.signal = signal;
		this.#timer = timer;
	}

	[Symbol.dispose](): void {
		this.#timer[Symbol.dispose]();
	}
}
