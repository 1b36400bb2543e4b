/** Waiting for a timer that an abort cancels: what every Clock's sleep is made of. */

/** Resolves when the timer that `arm` sets calls back, or rejects with the signal's reason and drops it. */
export function sleepOn(arm: (fn: () => void) => Disposable, signal: AbortSignal | undefined): Promise<void> {
	return new Promise((resolve, reject) => {
		if (signal?.aborted) return reject(signal.reason as Error);
		const timer = arm(() => {
			signal?.removeEventListener('abort', onAbort);
			resolve();
		});
		const onAbort = (): void => {
			timer[Symbol.dispose]();
			reject(signal?.reason as Error);
		};
		signal?.addEventListener('abort', onAbort, { once: true });
	});
}
