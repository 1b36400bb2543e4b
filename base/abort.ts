/** Abort signals with deadlines on the injected clock, and waiting that can be given up. */
import type { Clock } from './clock.ts';
import { AppError } from './errors.ts';

export interface Deadline extends Disposable {
	readonly signal: AbortSignal;
}

/** A signal that aborts with DeadlineExceeded after `ms`, or with the parent's reason. Dispose it to drop the timer. */
export function withDeadline(clock: Clock, ms: number, what: string, parent?: AbortSignal): Deadline {
	const controller = new AbortController();
	const timer = clock.after(ms, () => controller.abort(new AppError('DeadlineExceeded', `${what} took longer than ${ms} ms`)));
	const onAbort = (): void => controller.abort(parent?.reason);
	if (parent?.aborted) onAbort();
	else parent?.addEventListener('abort', onAbort, { once: true });
	return {
		signal: controller.signal,
		[Symbol.dispose]: () => {
			timer[Symbol.dispose]();
			parent?.removeEventListener('abort', onAbort);
		},
	};
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
	if (signal.aborted) return Promise.resolve();
	return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** The promise's outcome, or the signal's reason if that comes first. The promise itself goes on. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
	if (signal.aborted) {
		promise.catch(() => {}); // what comes of it is nobody's any more
		return Promise.reject(signal.reason as Error);
	}
	return new Promise((resolve, reject) => {
		const onAbort = (): void => reject(signal.reason as Error);
		signal.addEventListener('abort', onAbort, { once: true });
		promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
	});
}

export interface Linked extends Disposable {
	readonly signal: AbortSignal;
	abort(reason?: unknown): void;
}

/**
 * A signal of its own that also aborts when a parent does. Dispose it once the work is over: then nothing of it stays on the parents, whatever
 * was left listening. (AbortSignal.any keeps a signal that somebody listens on for as long as its parents live.)
 */
export function linked(...parents: readonly AbortSignal[]): Linked {
	const controller = new AbortController();
	const drop = (): void => {
		for (const parent of parents) parent.removeEventListener('abort', onAbort);
	};
	const abort = (reason?: unknown): void => {
		drop();
		controller.abort(reason);
	};
	function onAbort(this: AbortSignal): void {
		abort(this.reason);
	}
	const over = parents.find((parent) => parent.aborted);
	if (over !== undefined) controller.abort(over.reason);
	else for (const parent of parents) parent.addEventListener('abort', onAbort, { once: true });
	return { signal: controller.signal, abort, [Symbol.dispose]: drop };
}
