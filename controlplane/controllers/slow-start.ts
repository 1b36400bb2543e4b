/** Batches that double while all goes well: a template that the API refuses costs one request, not hundreds (upstream's slowStartBatch). */

/** Calls `work` `count` times in batches of 1, 2, 4, …; stops after the first batch with a failure. Returns how many succeeded and the first error. */
export async function slowStart(
	count: number,
	work: (index: number) => Promise<void>,
): Promise<{ readonly succeeded: number; readonly error?: unknown }> {
	let done = 0;
	for (let batch = 1; done < count; batch *= 2) {
		const size = Math.min(batch, count - done);
		const results = await Promise.allSettled(Array.from({ length: size }, (_, i) => work(done + i)));
		const failed = results.find((r) => r.status === 'rejected');
		const succeeded = results.filter((r) => r.status === 'fulfilled').length;
		if (failed !== undefined) return { succeeded: done + succeeded, error: failed.reason as unknown };
		done += size;
	}
	return { succeeded: done };
}
