/** Deletes what nobody owns any more, lets owners go once their dependents are gone, and frees orphans. */
import type { OwnerReference } from '../../../api/gen/types.ts';
import { splitKey, type KubeObject } from '../../../api/resource.ts';
import { StatusError } from '../../../api/status.ts';
import { KeyedBackoff, type BackoffPolicy } from '../../../base/backoff.ts';
import type { Clock } from '../../../base/clock.ts';
import { ignore } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import type { Again } from '../../../client/workqueue.ts';
import { failureOf } from '../conflicts.ts';
import type { DiscoveredResource } from '../discovered.ts';
import { fateOf, type OwnerState } from './decide.ts';
import { FOREGROUND, isForeground, ORPHAN, type GraphNode, type OwnerGraph } from './graph.ts';

interface Deps {
	readonly client: Client;
	readonly clock: Clock;
	readonly graph: OwnerGraph;
	readonly enqueue: (uid: string) => void;
	/** The resource of an owner's apiVersion and kind, if it is served. */
	readonly resourceOf: (apiVersion: string, kind: string) => DiscoveredResource | undefined;
}

/** Until an owner that is not in the graph is looked for again: client-go's longest wait. */
const AGAIN: BackoffPolicy = { initialMs: 1000, maxMs: 1_000_000 };

export class Collector {
	readonly #deps: Deps;
	/** Objects whose owners are to be looked for again. */
	readonly #unsettled: KeyedBackoff;
	constructor(deps: Deps) {
		this.#deps = deps;
		this.#unsettled = new KeyedBackoff(AGAIN, deps.clock);
	}

	/** Other kinds are served now: owners may be of them. */
	kindsChanged(): void {
		for (const uid of this.#unsettled.keys()) this.#deps.enqueue(uid);
	}

	/** Keys are uids. */
	async reconcile(uid: string, signal: AbortSignal): Promise<Again | void> {
		const again = await this.#look(uid, signal);
		if (again === undefined) this.#unsettled.forget(uid);
		return again;
	}

	async #look(uid: string, signal: AbortSignal): Promise<Again | void> {
		const node = this.#deps.graph.get(uid);
		if (node === undefined) return;
		if (node.deleting && node.finalizers.includes(ORPHAN)) return this.#orphanDependents(node, signal);
		if (isForeground(node)) return this.#waitForDependents(node, signal);
		if (node.deleting || this.#deps.graph.ownersLive(node)) return;
		return this.#checkOwners(node, signal);
	}

	async #checkOwners(node: GraphNode, signal: AbortSignal): Promise<Again | void> {
		const { client, graph } = this.#deps;
		const live = await get(client, node.resource, node.key, signal);
		if (live === undefined || live.metadata.uid !== node.uid) {
			for (const again of graph.forget(node.uid)) this.#deps.enqueue(again);
			return;
		}
		const owners = await Promise.all(
			(live.metadata.ownerReferences ?? []).map(async (ref) => ({ ref, state: await this.#stateOf(node, ref, signal) })),
		);
		const fate = fateOf(owners, { finalizers: live.metadata.finalizers ?? [], hasDependents: graph.dependents(node.uid).length > 0 });
		switch (fate.type) {
			case 'keep':
				// One that lives and has not been observed may have come and gone unseen: nothing would tell.
				return owners.some(({ ref, state }) => state === 'unknown' || (state === 'solid' && !graph.owns(ref, node)))
					? { afterMs: this.#unsettled.nextMs(node.uid) }
					: undefined;
			case 'unlink':
				return this.#patch(node, { resourceVersion: live.metadata.resourceVersion, ownerReferences: fate.keep }, signal);
			case 'delete': {
				const { resourceVersion } = live.metadata;
				const free = freed(owners, graph.dependents(node.uid));
				// The change is seen and looked at again; then nothing is left to free.
				if (free !== undefined) return this.#patch(node, { resourceVersion, ownerReferences: free }, signal);
				await client
					.delete(node.resource, node.key, {
						signal,
						uid: node.uid,
						propagationPolicy: fate.policy,
						...(resourceVersion === undefined ? {} : { resourceVersion }),
					})
					.catch(ignore('NotFound'));
			}
		}
	}

	async #stateOf(dependent: GraphNode, ref: OwnerReference, signal: AbortSignal): Promise<OwnerState> {
		const { client, graph, resourceOf } = this.#deps;
		if (graph.owns(ref, dependent)) return isForeground(graph.get(ref.uid)) ? 'waiting' : 'solid';
		const { namespace } = splitKey(dependent.key);
		if (graph.absent.has(ref, namespace)) return 'dangling';
		const resource = resourceOf(ref.apiVersion, ref.kind);
		if (resource === undefined) return 'unknown';
		if (resource.namespaced && namespace === undefined) return 'impossible';
		const owner = await get(client, resource, resource.namespaced ? `${namespace}/${ref.name}` : ref.name, signal);
		if (owner === undefined || owner.metadata.uid !== ref.uid) {
			graph.absent.remember(ref, resource.namespaced ? namespace : undefined);
			return 'dangling';
		}
		return owner.metadata.deletionTimestamp !== undefined && (owner.metadata.finalizers ?? []).includes(FOREGROUND) ? 'waiting' : 'solid';
	}

	/** An owner in foreground deletion goes once no dependent blocks it; those that do are looked at. */
	async #waitForDependents(node: GraphNode, signal: AbortSignal): Promise<void> {
		const { graph, enqueue } = this.#deps;
		const dependents = graph.dependents(node.uid);
		const blocking = dependents.filter((d) => d.owners.some((ref) => ref.uid === node.uid && ref.blockOwnerDeletion === true));
		if (blocking.length === 0) {
			await this.#removeFinalizer(node, FOREGROUND, signal);
			for (const dependent of dependents) enqueue(dependent.uid);
			return;
		}
		for (const dependent of blocking) if (!dependent.deleting) enqueue(dependent.uid);
	}

	async #orphanDependents(node: GraphNode, signal: AbortSignal): Promise<void> {
		const failed: unknown[] = [];
		for (const dependent of this.#deps.graph.dependents(node.uid))
			await this.#orphan(dependent, node.uid, signal).catch((error: unknown) => failed.push(error));
		if (failed.length > 0) throw failureOf(failed);
		await this.#removeFinalizer(node, ORPHAN, signal);
	}

	async #orphan(dependent: GraphNode, owner: string, signal: AbortSignal): Promise<void> {
		const live = await get(this.#deps.client, dependent.resource, dependent.key, signal);
		if (live === undefined || live.metadata.uid !== dependent.uid) return;
		const keep = (live.metadata.ownerReferences ?? []).filter((ref) => ref.uid !== owner);
		await this.#patch(dependent, { resourceVersion: live.metadata.resourceVersion, ownerReferences: keep }, signal);
	}

	async #removeFinalizer(node: GraphNode, finalizer: string, signal: AbortSignal): Promise<void> {
		const live = await get(this.#deps.client, node.resource, node.key, signal);
		const finalizers = live?.metadata.finalizers ?? [];
		if (live === undefined || live.metadata.uid !== node.uid || !finalizers.includes(finalizer)) return;
		await this.#patch(
			node,
			{ resourceVersion: live.metadata.resourceVersion, finalizers: finalizers.filter((f) => f !== finalizer) },
			signal,
		);
	}

	/** A merge patch of metadata that only applies to this very object in this very version; a conflict is retried by the queue. */
	async #patch(node: GraphNode, metadata: object, signal: AbortSignal): Promise<void> {
		const body = { metadata: { uid: node.uid, ...metadata } };
		await this.#deps.client.patch(node.resource, node.key, { type: 'merge', body }, { signal }).catch(ignore('NotFound'));
	}
}

/**
 * The owner references of an object that may close a circle (its owner waits for it, a dependent of its own waits too), none of them
 * blocking; undefined where there is nothing to free. As upstream's unblockOwnerReferences: false alarms only lose an order.
 */
function freed(
	owners: readonly { readonly ref: OwnerReference; readonly state: OwnerState }[],
	dependents: readonly GraphNode[],
): readonly OwnerReference[] | undefined {
	const blocks = owners.some(({ ref, state }) => state === 'waiting' && ref.blockOwnerDeletion === true);
	if (!blocks || !dependents.some(isForeground)) return undefined;
	return owners.map(({ ref }) => ({ ...ref, blockOwnerDeletion: false }));
}

/** Undefined where the object is gone. What is not served in that version any more says nothing of its objects: that is thrown, and retried by the queue. */
async function get(client: Client, resource: DiscoveredResource, key: string, signal: AbortSignal): Promise<KubeObject | undefined> {
	try {
		return await client.get(resource, key, { signal });
	} catch (error) {
		const isGone = error instanceof StatusError && error.reason === 'NotFound' && (error.status.details?.name ?? '') !== '';
		if (isGone) return undefined;
		throw error;
	}
}
