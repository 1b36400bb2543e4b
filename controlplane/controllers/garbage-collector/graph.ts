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
	readonly #nodes = new Map<string, GraphNode>();
	/** Owner uid, then dependent uids; owners need not be known themselves. */
	readonly #dependents = new Map<string, Set<string>>();
	readonly #absent = new Set<string>();

	get size(): number {
		return this.#nodes.size;
	}

	get(uid: string): GraphNode | undefined {
		return this.#nodes.get(uid);
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
		return node.owners.every((ref) => this.#nodes.has(ref.uid) && !isForeground(this.#nodes.get(ref.uid)));
	}

	/** Takes an object in; answers the uids to look at because of it. */
	observe(resource: DiscoveredResource, object: KubeObject): readonly string[] {
		const { uid = '', ownerReferences = [], deletionTimestamp, finalizers = [] } = object.metadata;
		if (uid === '') return [];
		const before = this.#nodes.get(uid);
		const node: GraphNode = {
			uid,
			resource,
			key: keyOf(object),
			owners: ownerReferences,
			deleting: deletionTimestamp !== undefined,
			finalizers: finalizers.filter((f) => f === FOREGROUND || f === ORPHAN),
		};
		this.#nodes.set(uid, node);
		this.#absent.delete(uid);
		this.#relink(uid, before?.owners ?? [], ownerReferences);
		const again: string[] = [];
		if ((before === undefined || !sameOwners(before.owners, ownerReferences)) && !this.ownersLive(node)) again.push(uid);
		const startsForeground = isForeground(node) && (before === undefined || !isForeground(before));
		const startsOrphaning = node.deleting && node.finalizers.includes(ORPHAN);
		if (startsForeground || startsOrphaning) again.push(uid);
		// A dependent no longer blocks, or is on its way: its waiting owners look again.
		if (before !== undefined && (!before.deleting || !sameOwners(before.owners, ownerReferences)))
			for (const owner of before.owners) if (isForeground(this.#nodes.get(owner.uid))) again.push(owner.uid);
		return again;
	}

	/** The object is gone; answers the uids to look at because of it. */
	forget(uid: string): readonly string[] {
		const node = this.#nodes.get(uid);
		this.rememberAbsent(uid);
		if (node === undefined) return [];
		this.#nodes.delete(uid);
		this.#relink(uid, node.owners, []);
		const waiting = node.owners.map((o) => o.uid).filter((owner) => isForeground(this.#nodes.get(owner)));
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
