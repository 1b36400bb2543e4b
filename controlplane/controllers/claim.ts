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

/**
 * Those of `candidates` that are the owner's afterwards. Before the first is adopted the API is asked whether the owner lives: one that is deleted and
 * leaves its own behind has let go of them, and the cache may not know yet (upstream's RecheckDeletionTimestamp).
 */
export async function claimAll<T extends KubeObject>(
	client: Client,
	resource: Resource<T>,
	owner: Owner,
	candidates: readonly T[],
	matches: (candidate: T) => boolean,
	signal: AbortSignal,
): Promise<readonly T[]> {
	const owned: T[] = [];
	let asked: Promise<boolean> | undefined;
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
				if (!(await (asked ??= lives(client, owner, signal)))) break;
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

async function lives(client: Client, { resource, object }: Owner, signal: AbortSignal): Promise<boolean> {
	const live = await client.get(resource, keyOf(object), { signal }).catch(ignore('NotFound'));
	return live !== undefined && live.metadata.uid === object.metadata.uid && live.metadata.deletionTimestamp === undefined;
}
