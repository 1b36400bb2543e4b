/** Takes what a workload's selector chooses and nobody has, and lets go of what it no longer chooses (upstream's ControllerRefManager). */
import { keyOf, type KubeObject, type Resource } from '../../api/resource.ts';
import { AppError, ignore } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { failureOf } from './conflicts.ts';
import { claimOf, controllerRef } from './owned.ts';

/** A workload and its kind. */
export interface Owner {
	readonly resource: Resource;
	readonly object: KubeObject;
}

/**
 * Those of `candidates` that are the owner's afterwards. Before the first is adopted the API is asked whether the owner lives: one that is deleted and
 * leaves its own behind has let go of them, and the cache may not know yet (upstream's RecheckDeletionTimestamp). All are tried before what failed is
 * thrown; AppError Aborted where only the cache is behind, so that nothing is made for an owner that is gone.
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
	const failed: unknown[] = [];
	let asked: Promise<void> | undefined;
	for (const candidate of candidates) {
		const patch = (ownerReferences: readonly object[]): Promise<T> =>
			client.patch(
				resource,
				keyOf(candidate),
				{ type: 'strategic', body: { metadata: { uid: candidate.metadata.uid ?? '', ownerReferences } } },
				{ signal },
			);
		const claim = async (): Promise<T | undefined> => {
			switch (claimOf(owner.object, candidate, matches(candidate))) {
				case 'mine':
					return candidate;
				case 'adopt':
					await (asked ??= ensureLives(client, owner, signal));
					return await patch([controllerRef(owner.resource, owner.object)]).catch(ignore('NotFound'));
				case 'release':
					// Invalid: it has no owners any more, or is another one of that name.
					await patch([{ $patch: 'delete', uid: owner.object.metadata.uid }]).catch(ignore('NotFound', 'InvalidArgument'));
					return undefined;
				case 'foreign':
					return undefined;
			}
		};
		const claimed = await claim().catch((error: unknown) => void failed.push(error));
		if (claimed !== undefined) owned.push(claimed);
	}
	if (failed.length > 0) throw failureOf(failed);
	return owned;
}

async function ensureLives(client: Client, { resource, object }: Owner, signal: AbortSignal): Promise<void> {
	const live = await client.get(resource, keyOf(object), { signal }).catch(ignore('NotFound'));
	if (live === undefined || live.metadata.uid !== object.metadata.uid || live.metadata.deletionTimestamp !== undefined)
		throw new AppError(
			'Aborted',
			`Cannot adopt for ${resource.kind} "${keyOf(object)}" of uid "${object.metadata.uid}": it is gone, or being deleted`,
		);
}
