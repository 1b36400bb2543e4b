/** Who owns whom: every object of the cluster by uid, with its owners and dependents. No I/O. */
import type { OwnerReference } from '../../../api/gen/types.ts';
import type { Key, KubeObject } from '../../../api/resource.ts';
import { keyOf } from '../../../api/resource.ts';
import type { DiscoveredResource } from '../discovered.ts';

export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

export interface GraphNode {
	readonly uid: string;
	readonly resource: DiscoveredResource;
	readonly key: Key;
	readonly owners: readonly OwnerReference[];
	readonly deleting: boolean;
	/** Of the two that this controller removes. */
	readonly finalizers: readonly string[];
}

/** Owners known to be gone that are remembered, so that their dependents need no look-up each. */
const ABSENT_REMEMBERED = 500;

export class OwnerGraph {
	/** Objects that have owners, or that are on their way out. */
	readonly #nodes = new Map<string, GraphNode>();
	/** All others, most of a cluster: that they are there, and of which kind, is all there is to know. */
	readonly #plain = new Map<string, DiscoveredResource>();
	/** Owner uid, then dependent uids; owners need not be known themselves. */
	readonly #dependents = new Map<string, Set<string>>();
	readonly #absent = new Set<string>();

	get size(): number {
		return this.#nodes.size + this.#plain.size;
	}

	has(uid: string): boolean {
		return this.#plain.has(uid) || this.#nodes.has(uid);
	}

	/** What has owners, or is on its way out. */
	get(uid: string): GraphNode | undefined {
		return this.#nodes.get(uid);
	}

	/** All objects that were observed as of this very resource. */
	*uidsOf(resource: DiscoveredResource): Generator<string, void> {
		for (const [uid, of] of this.#plain) if (of === resource) yield uid;
		for (const [uid, node] of this.#nodes) if (node.resource === resource) yield uid;
	}

	dependents(uid: string): readonly GraphNode[] {
		const found: GraphNode[] = [];
		for (const dependent of this.#dependents.get(uid) ?? []) {
			const node = this.#nodes.get(dependent);
			if (node !== undefined) found.push(node);
		}
		return found;
	}

	isAbsent(uid: string): boolean {
		return this.#absent.has(uid);
	}

	rememberAbsent(uid: string): void {
		if (this.#absent.size >= ABSENT_REMEMBERED) this.#absent.delete(this.#absent.values().next().value ?? '');
		this.#absent.add(uid);
	}

	/** True when all owners are known and none is on its way out: nothing to look at. */
	ownersLive(node: GraphNode): boolean {
		return node.owners.every((ref) => this.has(ref.uid) && !isForeground(this.#nodes.get(ref.uid)));
	}

	/** Takes an object in; answers the uids to look at because of it. */
	observe(resource: DiscoveredResource, object: KubeObject): readonly string[] {
		const { uid = '', ownerReferences = [], deletionTimestamp, finalizers = [] } = object.metadata;
		if (uid === '') return [];
		const before = this.#nodes.get(uid);
		const beforeOwners = before?.owners ?? [];
		const isNew = before === undefined && !this.#plain.has(uid);
		this.#absent.delete(uid);
		this.#relink(uid, beforeOwners, ownerReferences);
		// A dependent no longer blocks, or is on its way: its waiting owners look again.
		const waiting =
			before !== undefined && (!before.deleting || !sameOwners(beforeOwners, ownerReferences))
				? beforeOwners.map((o) => o.uid).filter((owner) => isForeground(this.#nodes.get(owner)))
				: [];
		if (ownerReferences.length === 0 && deletionTimestamp === undefined) {
			this.#nodes.delete(uid);
			this.#plain.set(uid, resource);
			return waiting;
		}
		const node: GraphNode = {
			uid,
			resource,
			key: keyOf(object),
			owners: ownerReferences,
			deleting: deletionTimestamp !== undefined,
			finalizers: finalizers.filter((f) => f === FOREGROUND || f === ORPHAN),
		};
		this.#plain.delete(uid);
		this.#nodes.set(uid, node);
		const again: string[] = [];
		if ((isNew || !sameOwners(beforeOwners, ownerReferences)) && !this.ownersLive(node)) again.push(uid);
		const startsForeground = isForeground(node) && !isForeground(before);
		const startsOrphaning = node.deleting && node.finalizers.includes(ORPHAN);
		if (startsForeground || startsOrphaning) again.push(uid);
		return [...again, ...waiting];
	}

	/** The object is gone; answers the uids to look at because of it. */
	forget(uid: string): readonly string[] {
		const node = this.#nodes.get(uid);
		this.rememberAbsent(uid);
		if (node === undefined && !this.#plain.delete(uid)) return [];
		this.#nodes.delete(uid);
		const owners = node?.owners ?? [];
		this.#relink(uid, owners, []);
		const waiting = owners.map((o) => o.uid).filter((owner) => isForeground(this.#nodes.get(owner)));
		return [...this.dependents(uid).map((d) => d.uid), ...waiting];
	}

	#relink(uid: string, before: readonly OwnerReference[], after: readonly OwnerReference[]): void {
		for (const { uid: owner } of before) {
			const set = this.#dependents.get(owner);
			set?.delete(uid);
			if (set?.size === 0) this.#dependents.delete(owner);
		}
		for (const { uid: owner } of after) {
			const set = this.#dependents.get(owner) ?? new Set();
			set.add(uid);
			this.#dependents.set(owner, set);
		}
	}
}

/** Being deleted, and waiting for its dependents to go first. */
export function isForeground(node: GraphNode | undefined): boolean {
	return node !== undefined && node.deleting && node.finalizers.includes(FOREGROUND);
}

function sameOwners(a: readonly OwnerReference[], b: readonly OwnerReference[]): boolean {
	return a.length === b.length && a.every((ref, i) => ref.uid === b[i]?.uid && ref.blockOwnerDeletion === b[i]?.blockOwnerDeletion);
}
