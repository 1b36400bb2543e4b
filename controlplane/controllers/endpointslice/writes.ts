/** Writes slices for a Service or for Endpoints; what is written is tracked until it is seen. */
import type { EndpointSlice } from '../../../api/gen/types.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { ENDPOINT_SLICES } from '../../../api/resources.ts';
import { AppError, codeOf, ignore, messageOf } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import { failureOf } from '../conflicts.ts';
import { isNamespaceGoing } from '../namespaced.ts';
import type { SlicePlan } from './plan.ts';
import type { SliceTracker } from './tracker.ts';

/** Whose slices they are. */
export type About = readonly [kind: 'Service' | 'Endpoints', key: Key];

/** Writes a plan until the first failure. AppError Aborted where the cache is a moment behind. */
export async function perform(
	client: Client,
	tracker: SliceTracker,
	[kind, key]: About,
	plan: SlicePlan,
	signal: AbortSignal,
): Promise<void> {
	const failing = (what: string) => failed(`failed to ${what} EndpointSlice for ${kind} ${key}`);
	for (const slice of plan.create) {
		try {
			tracker.wrote(key, await client.create(ENDPOINT_SLICES, slice, { signal }));
		} catch (error) {
			if (isNamespaceGoing(error)) return; // it takes nothing more
			failing('create')(error);
		}
	}
	for (const slice of plan.update) {
		const written = client.update(ENDPOINT_SLICES, slice, { signal }).catch(goneMeanwhile);
		tracker.wrote(key, await written.catch(failing(`update ${slice.metadata.name}`)));
	}
	for (const slice of plan.delete) await remove(client, tracker, key, slice, signal).catch(failing(`delete ${slice.metadata.name}`));
}

/** Tries all, and throws what failed as one error. */
export async function deleteAll(
	client: Client,
	tracker: SliceTracker,
	[kind, key]: About,
	slices: readonly EndpointSlice[],
	signal: AbortSignal,
): Promise<void> {
	const errors: unknown[] = [];
	for (const slice of slices)
		await remove(client, tracker, key, slice, signal)
			.catch(failed(`error deleting ${slice.metadata.name} EndpointSlice for ${kind} ${key}`))
			.catch((error: unknown) => errors.push(error));
	if (errors.length > 0) throw failureOf(errors);
}

async function remove(client: Client, tracker: SliceTracker, key: Key, slice: EndpointSlice, signal: AbortSignal): Promise<void> {
	tracker.deleted(key, slice); // it may be seen to go before the answer comes
	try {
		await client.delete(ENDPOINT_SLICES, keyOf(slice), { uid: slice.metadata.uid, signal }).catch(ignore('NotFound'));
	} catch (error) {
		tracker.notDeleted(key, slice);
		throw error;
	}
}

function failed(what: string): (error: unknown) => never {
	return (error) => {
		throw new AppError(codeOf(error), `${what}: ${messageOf(error)}`, { cause: error });
	};
}

/** A slice that was just deleted may still be in the cache, and so be chosen to be written anew: as a conflict. */
function goneMeanwhile(error: unknown): never {
	throw codeOf(error) === 'NotFound' ? new AppError('Aborted', messageOf(error), { cause: error }) : error;
}
