/** Pods created and deleted for a workload: in growing batches, with events on the workload, ticked off where they fail (upstream's PodControl). */
import type { Pod } from '../../api/gen/types.ts';
import { keyOf } from '../../api/resource.ts';
import { PODS } from '../../api/resources.ts';
import { codeOf, messageOf } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { referenceTo, type EventRecorder } from '../../client/events.ts';
import type { Owner } from './claim.ts';
import type { Expectations } from './expectations.ts';
import { isNamespaceGoing } from './namespaced.ts';
import { slowStart } from './slow-start.ts';

interface Deps {
	readonly client: Client;
	readonly recorder: EventRecorder;
	readonly expectations: Expectations;
}

/** Expects all of it first; returns the first error. */
export async function writePods(
	{ client, recorder, expectations }: Deps,
	owner: Owner,
	{ create, remove }: { readonly create: readonly Pod[]; readonly remove: readonly Pod[] },
	signal: AbortSignal,
): Promise<unknown> {
	const own = owner.object.metadata.uid ?? '';
	const uids = remove.map((pod) => pod.metadata.uid ?? '');
	if (create.length + remove.length === 0) return undefined;
	expectations.expect(own, create.length, uids);
	const about = referenceTo(owner.resource, owner.object);
	const { succeeded, error } = await slowStart(create.length, async (index) => {
		try {
			const made = await client.create(PODS, create[index] as Pod, { signal });
			recorder.event(about, 'Normal', 'SuccessfulCreate', `Created pod: ${made.metadata.name}`);
		} catch (failure) {
			if (isNamespaceGoing(failure)) return; // it takes nothing more
			recorder.event(about, 'Warning', 'FailedCreate', `Error creating: ${messageOf(failure)}`);
			throw failure;
		}
	});
	expectations.creationObserved(own, create.length - succeeded);
	const deletions = await Promise.allSettled(
		remove.map(async (pod) => {
			const uid = pod.metadata.uid ?? '';
			try {
				await client.delete(PODS, keyOf(pod), { signal, uid });
				recorder.event(about, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
			} catch (failure) {
				expectations.deletionObserved(own, uid);
				if (codeOf(failure) === 'NotFound' || codeOf(failure) === 'Aborted') return; // gone already
				recorder.event(about, 'Warning', 'FailedDelete', `Error deleting: ${messageOf(failure)}`);
				throw failure;
			}
		}),
	);
	return error ?? (deletions.find((r) => r.status === 'rejected')?.reason as unknown);
}
