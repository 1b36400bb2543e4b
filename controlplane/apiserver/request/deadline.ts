/** How long a request may take that is neither a plain read nor a stream. */
import { withDeadline, type Deadline } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import { AppError } from '../../../base/errors.ts';
import type { ApiRequest } from '../contracts.ts';

/** Upstream's --request-timeout. Watches and upgraded streams last longer. */
const TIMEOUT_MS = 60_000;
const WHAT = 'The request';

/** A signal that aborts when the client goes away or the time is over: one for both, since every write makes it. */
export function requestDeadline(clock: Clock, request: ApiRequest): Deadline {
	if (request.onGone === undefined) return withDeadline(clock, TIMEOUT_MS, WHAT, request.signal);
	const controller = new AbortController();
	const timer = clock.after(TIMEOUT_MS, () =>
		controller.abort(new AppError('DeadlineExceeded', `${WHAT} took longer than ${TIMEOUT_MS} ms`)),
	);
	request.onGone((why) => controller.abort(why));
	return { signal: controller.signal, [Symbol.dispose]: () => timer[Symbol.dispose]() };
}
