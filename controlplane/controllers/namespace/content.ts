/** Deletes everything in a namespace, pods first, and counts what is left. */
import type { Pod } from '../../../api/gen/types.ts';
import { isTerminal } from '../../../api/pod/phase.ts';
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
 * (upstream's OrderedNamespaceDeletion). What is left without a reason is a failure.
 * @param deletedMs how long ago the namespace was deleted
 */
export async function deleteContent(
	client: Client,
	namespace: string,
	resources: readonly DiscoveredResource[],
	{ deletedMs }: { readonly deletedMs: number },
	signal: AbortSignal,
): Promise<Emptied> {
	const remaining = new Map<string, number>();
	const finalizers = new Map<string, number>();
	const contentErrors: string[] = [];
	let graceSeconds = 0;
	const empty = async (resource: DiscoveredResource): Promise<void> => {
		try {
			const { before, left } = await deleteAll(client, namespace, resource, signal);
			if (left.length === 0) return;
			remaining.set(`${resource.plural}.${resource.group}`, left.length);
			const held = left.flatMap((object) => object.metadata.finalizers ?? []);
			for (const finalizer of held) finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
			graceSeconds = Math.max(
				graceSeconds,
				largest(left, ({ metadata }) => metadata.deletionGracePeriodSeconds ?? 0),
			);
			const isExpected = held.length > 0 || deletedMs < longestGraceMs(resource, before);
			if (!isExpected) contentErrors.push(`unexpected items still remain in namespace: ${namespace} for gvr: ${describe(resource)}`);
		} catch (error) {
			if (signal.aborted) throw error;
			if (codeOf(error) !== 'NotFound' && codeOf(error) !== 'Unimplemented') contentErrors.push(messageOf(error));
		}
	};
	const content = resources.filter(isContent);
	const pods = content.filter(isPods);
	await Promise.all(pods.map(empty));
	if (remaining.size === 0 && contentErrors.length === 0) await Promise.all(content.filter((r) => !pods.includes(r)).map(empty));
	return { contentErrors, remaining, finalizers, graceSeconds };
}

/** How long pods may take to end, from when their namespace was deleted on; nothing else may take any time. */
function longestGraceMs(resource: DiscoveredResource, objects: readonly KubeObject[]): number {
	if (!isPods(resource)) return 0;
	const running = (objects as readonly Pod[]).filter((pod) => !isTerminal(pod));
	return largest(running, ({ spec }) => (spec?.terminationGracePeriodSeconds ?? 0) * 1000);
}

/** At least 0. More objects than a call takes arguments may be given. */
function largest<T>(objects: readonly T[], amount: (object: T) => number): number {
	return objects.reduce((most, object) => Math.max(most, amount(object)), 0);
}

function isPods({ group, plural }: DiscoveredResource): boolean {
	return group === '' && plural === 'pods';
}

/** A resource as Go prints it, in conditions. */
function describe({ group, version, plural }: DiscoveredResource): string {
	return `${group}/${version}, Resource=${plural}`;
}

/** Deletes the objects of one kind; those that were there, and those that stay for now. */
async function deleteAll(
	client: Client,
	namespace: string,
	resource: DiscoveredResource,
	signal: AbortSignal,
): Promise<{ readonly before: readonly KubeObject[]; readonly left: readonly KubeObject[] }> {
	const before = await client.list(resource, { namespace, signal });
	if (before.items.length === 0) return { before: [], left: [] };
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
	return { before: before.items, left: (await client.list(resource, { namespace, signal })).items };
}
