/** Deletes everything in a namespace, pods first, and counts what is left. */
import type { KubeObject } from '../../../api/resource.ts';
import { codeOf, messageOf } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import type { DiscoveredResource } from '../discovered.ts';
import type { Progress } from './conditions.ts';

export interface Emptied extends Progress {
	/** When to look again, from the grace of pods that are left. */
	readonly graceSeconds: number;
}

/** Kinds that hold nothing and cannot be deleted. */
function isContent(resource: DiscoveredResource): boolean {
	return resource.namespaced && resource.verbs.includes('delete') && resource.verbs.includes('list');
}

/**
 * Asks for the deletion of all content. While pods are left nothing else is touched, so that they may end with what they depend on
 * (upstream's OrderedNamespaceDeletion).
 */
export async function deleteContent(
	client: Client,
	namespace: string,
	resources: readonly DiscoveredResource[],
	signal: AbortSignal,
): Promise<Emptied> {
	const remaining = new Map<string, number>();
	const finalizers = new Map<string, number>();
	const contentErrors: string[] = [];
	let graceSeconds = 0;
	const empty = async (resource: DiscoveredResource): Promise<void> => {
		try {
			const left = await deleteAll(client, namespace, resource, signal);
			if (left.length > 0) remaining.set(`${resource.plural}.${resource.group}`, left.length);
			for (const object of left) {
				for (const finalizer of object.metadata.finalizers ?? []) finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
				graceSeconds = Math.max(graceSeconds, object.metadata.deletionGracePeriodSeconds ?? 0);
			}
		} catch (error) {
			if (signal.aborted) throw error;
			if (codeOf(error) !== 'NotFound' && codeOf(error) !== 'Unimplemented')
				contentErrors.push(`${resource.plural}.${resource.group}: ${messageOf(error)}`);
		}
	};
	const content = resources.filter(isContent);
	const pods = content.filter((r) => r.group === '' && r.plural === 'pods');
	await Promise.all(pods.map(empty));
	if (remaining.size === 0 && contentErrors.length === 0) await Promise.all(content.filter((r) => !pods.includes(r)).map(empty));
	return { contentErrors, remaining, finalizers, graceSeconds };
}

/** Deletes the objects of one kind and lists those that stay for now. */
async function deleteAll(
	client: Client,
	namespace: string,
	resource: DiscoveredResource,
	signal: AbortSignal,
): Promise<readonly KubeObject[]> {
	const before = await client.list(resource, { namespace, signal });
	if (before.items.length === 0) return [];
	if (resource.verbs.includes('deletecollection')) {
		await client.deleteCollection(resource, { namespace, propagationPolicy: 'Background', signal });
	} else {
		for (const { metadata } of before.items)
			await client
				.delete(resource, `${namespace}/${metadata.name}`, { propagationPolicy: 'Background', signal })
				.catch((error: unknown) => {
					if (codeOf(error) !== 'NotFound') throw error;
				});
	}
	return (await client.list(resource, { namespace, signal })).items;
}
