/** Collections of custom resources are read once all objects are in the version asked for. */
import { StatusError } from '../../../api/status.ts';
import { mapInTurns } from '../../../base/map-in-turns.ts';
import type { Turns } from '../../../base/turns.ts';
import type { Entry } from '../../storage/store.ts';
import type { ListOptions } from '../request/options.ts';
import type { Parts } from './context.ts';
import type { CustomKind } from './custom-kind.ts';
import { collectionPrefix, type Kind } from './kinds.ts';

/**
 * StatusError TooManyRequests where an object cannot be had in that version: upstream's cache does not fill as long as that is so.
 * @param isPage of a list in pages, which upstream reads without its cache while that is not there: then the error is what stands in the way
 */
export async function readyToList(turns: Turns, kind: Kind, entries: readonly Entry[], signal: AbortSignal, isPage = false): Promise<void> {
	const { custom } = kind;
	if (custom === undefined) return;
	try {
		await converted(custom, entries, signal);
		// What no webhook is asked for may be of a version that the definition has no more.
		const unread = entries.filter(({ value }) => !custom.isRead(value));
		if (unread.length > 0) await mapInTurns(turns, unread, ({ value }) => custom.read(value), signal);
	} catch (error) {
		throw isPage ? error : inCache(kind, error);
	}
}

/** Selectable fields of custom resources are those of the version asked for. */
export async function readyToSelect({ store }: Parts, kind: Kind, namespace: string, signal: AbortSignal, isPage = false): Promise<void> {
	if (kind.custom === undefined) return;
	try {
		await converted(kind.custom, store.list(collectionPrefix(kind, namespace), {}).entries, signal);
	} catch (error) {
		throw isPage ? error : inCache(kind, error);
	}
}

async function converted(custom: CustomKind, entries: readonly Entry[], signal: AbortSignal): Promise<void> {
	const values = entries.map(({ value }) => value);
	await custom.ready(values, signal);
}

function inCache({ apiVersion, resource: { kind } }: Kind, error: unknown): unknown {
	if (!(error instanceof StatusError)) return error;
	return new StatusError({
		...{ metadata: {}, status: 'Failure', reason: 'TooManyRequests', code: 429, details: { retryAfterSeconds: 1 } },
		message: `storage is (re)initializing: failed to list ${apiVersion}, Kind=${kind}: ${error.message}`,
	});
}

/** Whether upstream reads the list in pages, straight from its store. */
export const isPaged = (options: ListOptions): boolean => options.continue !== '' || (options.limit > 0 && options.resourceVersion === '');
