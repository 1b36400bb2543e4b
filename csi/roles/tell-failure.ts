/** What went wrong with a snapshot, a group or their contents: an event, and the error in the status, once for each message. */
import { type KubeObject, keyOf, type Resource } from '../../api/resource.ts';
import { timeOf } from '../../api/time.ts';
import { ignore } from '../../base/errors.ts';
import { referenceTo } from '../../client/events.ts';
import type { ControllerDeps } from './role.ts';

interface Failing extends KubeObject {
	readonly status?: { readonly error?: { readonly message?: string | undefined } | undefined } | undefined;
}

/** @param reason the event's */
export async function tellFailure<T extends Failing>(
	{ client, clock, recorder }: Pick<ControllerDeps, 'client' | 'clock' | 'recorder'>,
	resource: Resource<T>,
	object: T,
	{ reason, message }: { readonly reason: string; readonly message: string },
	signal: AbortSignal,
): Promise<void> {
	if (object.status?.error?.message === message) return;
	recorder.event(referenceTo(resource, object), 'Warning', reason, message);
	const body = { status: { readyToUse: false, error: { time: timeOf(clock.now()), message } } };
	const options = { signal, subresource: 'status' };
	await client.patch(resource, keyOf(object), { type: 'merge', body }, options).catch(ignore('NotFound'));
}
