/** Collections of custom resources are read once all objects are in the version asked for. */
import { StatusError } from '../../../api/status.ts';
import type { Entry } from '../../storage/store.ts';
import type { Parts } from './context.ts';
import { collectionPrefix, type Kind } from './kinds.ts';

/** StatusError TooManyRequests where an object cannot be converted: upstream's cache does not fill as long as that is so. */
export async function readyToList(kind: Kind, entries: readonly Entry[], signal: AbortSignal): Promise<void> {
	const ready = kind.custom?.ready(
		entries.map(({ value }) => value),
		signal,
	);
	try {
		await ready;
	} catch (error) {
		if (!(error instanceof StatusError)) throw error;
		const why = `failed to list ${kind.apiVersion}, Kind=${kind.resource.kind}: ${error.message}`;
		throw new StatusError({
			...{ metadata: {}, status: 'Failure', reason: 'TooManyRequests', code: 429, details: { retryAfterSeconds: 1 } },
			message: `storage is (re)initializing: ${why}`,
		});
	}
}

/** Selectable fields of custom resources are those of the version asked for. */
export async function readyToSelect({ store }: Parts, kind: Kind, namespace: string, signal: AbortSignal): Promise<void> {
	if (kind.custom !== undefined) await readyToList(kind, store.list(collectionPrefix(kind, namespace), {}).entries, signal);
}
