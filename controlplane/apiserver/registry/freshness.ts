/** Reads that must not be older than a resource version: they wait for it, not for long. */
import { expired, StatusError } from '../../../api/status.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Store } from '../../storage/store.ts';

/** So long the cluster may take to get there (upstream's cacher, blockTimeout): whoever asks may have read it from another server. */
const WAIT_MS = 3000;
const LOOK_MS = 50;

export interface Read {
	readonly store: Store;
	readonly clock: Clock;
}

/** Where others write to the store too: waits until reads show all that was acknowledged before. */
export async function freshNow({ store }: Pick<Read, 'store'>, signal: AbortSignal): Promise<void> {
	if (store.shared) await store.fresh(undefined, signal);
}

/**
 * A write begins with what memory shows of the key. Where others write to the store too, that may be behind: what is refused, or changes nothing, is then judged
 * once more by the newest (upstream's store keeps to the same rule for what it has from its cache).
 */
export async function judgedFresh<T>(
	{ store }: Pick<Read, 'store'>,
	key: string,
	signal: AbortSignal,
	write: () => Promise<T>,
	revisionOf: (done: T) => bigint | undefined,
): Promise<T> {
	if (!store.shared) return write();
	const seen = store.get(key)?.revision;
	const first = await outcomeOf(write());
	if (first.status === 'fulfilled' && revisionOf(first.value) !== seen) return first.value;
	await freshNow({ store }, signal);
	if (store.get(key)?.revision !== seen) return write();
	if (first.status === 'rejected') throw first.reason;
	return first.value;
}

async function outcomeOf<T>(work: Promise<T>): Promise<PromiseSettledResult<T>> {
	const [outcome] = await Promise.allSettled([work]);
	return outcome;
}

/** Waits until reads show the revision; StatusError Timeout as upstream's when the cluster does not get that far. */
export async function freshAs({ store, clock }: Read, version: bigint, signal: AbortSignal): Promise<void> {
	if ((await store.fresh(version, signal)) >= version) return;
	for (let waited = 0; waited < WAIT_MS; waited += LOOK_MS) {
		await clock.sleep(LOOK_MS, signal);
		if (store.revision() >= version) return;
	}
	throw tooLarge(version, store);
}

function tooLarge(version: bigint, store: Store): StatusError {
	return new StatusError({
		metadata: {},
		status: 'Failure',
		message: `Timeout: Too large resource version: ${version}, current: ${store.revision()}`,
		reason: 'Timeout',
		details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }], retryAfterSeconds: 1 },
		code: 504,
	});
}

/** What watchers are told whose past is compacted. */
export function tooOld(asked: bigint, oldest: bigint): StatusError {
	return expired(`too old resource version: ${asked} (${oldest})`);
}
