/** Waiting for what something that runs will do. */

/** What `seen` answers once it is neither undefined nor false; rejects with `what` after the time, which is long: it is a bound, no measure. */
export async function eventually<T>(
	what: string | (() => string),
	seen: () => Promise<T | undefined | false>,
	timeoutMs = 60_000,
): Promise<T> {
	const until = Date.now() + timeoutMs;
	for (let waitMs = 5; ; waitMs = Math.min(100, waitMs * 2)) {
		const value = await seen();
		if (value !== undefined && value !== false) return value;
		if (Date.now() > until) throw new Error(`Not seen within ${timeoutMs} ms: ${typeof what === 'string' ? what : what()}`);
		await new Promise((resolve) => setTimeout(resolve, waitMs));
	}
}
