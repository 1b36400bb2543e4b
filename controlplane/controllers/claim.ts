/** Takes what a workload's selector chooses and nobody has, and lets go of what it no longer chooses (upstream's ControllerRefManager). */
import { keyOf, type KubeObject, type Resource } from '../../api/resource.ts';
import { ignore } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { claimOf, controllerRef } from './owned.ts';

/** A workload and its kind. */
export interface Owner {
	readonly resource: Resource;
	readonly object: KubeObject;
}

/** Those of `candidates` that are the owner's afterwards. */
export async function claimAll<T extends KubeObject>(
	client: Client,
	resource: Resource<T>,
	owner: Owner,
	candidates: readonly T[],
	matches: (candidate: T) => boolean,
	signal: AbortSignal,
): Promise<readonly T[]> {
	const owned: T[] = [];
	for (const candidate of candidates) {
		const uid = candidate.metadata.uid ?? '';
		const patch = (ownerReferences: readonly object[]): Promise<T | undefined> =>
			client
				.patch(resource, keyOf(candidate), { type: 'strategic', body: { metadata: { uid, ownerReferences } } }, { signal })
				.catch(ignore('NotFound', 'InvalidArgument'));
		switch (claimOf(owner.object, candidate, matches(candidate))) {
			case 'mine':
				owned.push(candidate);
				break;
			case 'adopt': {
				const adopted = await patch([controllerRef(owner.resource, owner.object)]);
				if (adopted !== undefined) owned.push(adopted);
				break;
			}
			case 'release':
				await patch([{ $patch: 'delete', uid: owner.object.metadata.uid }]);
				break;
			case 'foreign':
		}
	}
	return owned;
}
