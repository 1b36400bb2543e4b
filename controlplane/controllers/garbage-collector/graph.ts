/** Who owns whom: every object of the cluster by uid, with its owners and dependents. No I/O. */
import type { OwnerReference } from '../../../api/gen/types.ts';
import { apiVersionOf, keyOf, splitKey, type KubeObject } from '../../../api/resource.ts';
import type { DiscoveredResource } from '../discovered.ts';
import { AbsentOwners } from './absent-owners.ts';
import { isMisplaced, refersTo, type Identity } from './identity.ts';

export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

export interface GraphNode extends Identity {
	readonly uid: string;
	readonly owners: readonly OwnerReference[];
	readonly deleting: boolean;
	/** Of the two that this controller removes. */
	readonly finalizers: readonly string[];
}

/** Told of an object whose owner is known to be of another namespace. */
export type OnMisplaced = (dependent: GraphNode, ref: OwnerReference) => void;

export class OwnerGraph {
	readonly absent = new AbsentOwners();
	readonly #onMisplaced: OnMisplaced;
	/** Objects that have owners, or that are on their way out. */
	readonly #nodes = new Map<string, GraphNode>();
	/** All others, most of a cluster: what they are is all there is to know. */
	readonly #plain = new Map<string, Identity>();
	/** Owner uid, then dependent uids; owners need not be known themselves. */
	readonly #dependents = new Map<string, Set<string>>();

	constructor(onMisplaced: OnMisplaced = () => {}) {
		this.#onMisplaced = onMisplaced;
	}

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

	/** What any object that was observed is. */
	identityOf(uid: string): Identity | undefined {
		return this.#plain.get(uid) ?? this.#nodes.get(uid);
	}

	/** All objects that were observed as of this resource, in whichever version. */
	*uidsOf({ group, plural }: DiscoveredResource): Generator<string, void> {
		for (const known of [this.#plain, this.#nodes])
			for (const [uid, { resource }] of known) if (resource.plural === plural && resource.group === group) yield uid;
	}

	dependents(uid: string): readonly GraphNode[] {
		const found: GraphNode[] = [];
		for (const dependent of this.#dependents.get(uid) ?? []) {
			const node = this.#nodes.get(dependent);
			if (node !== undefined) found.push(node);
		}
		return found;
	}

	/** Whether the owner is known as what the reference says it is: only then is it the owner. */
	owns(ref: OwnerReference, dependent: Identity): boolean {
		const owner = this.identityOf(ref.uid);
		return owner !== undefined && refersTo(ref, dependent, owner);
	}

	/** True when all owners are known and none is on its way out: nothing to look at. */
	ownersLive(node: GraphNode): boolean {
		return node.owners.every((ref) => this.owns(ref, node) && !isForeground(this.#nodes.get(ref.uid)));
	}

	/** Takes an object in; answers the uids to look at because of it. */
	observe(resource: DiscoveredResource, object: KubeObject): readonly string[] {
		const { uid = '', ownerReferences = [], deletionTimestamp, finalizers = [] } = object.metadata;
		if (uid === '') return [];
		const before = this.#nodes.get(uid);
		const beforeOwners = before?.owners ?? [];
		const isNew = before === undefined && !this.#plain.has(uid);
		this.#relink(uid, beforeOwners, ownerReferences);
		// A dependent no longer blocks, or is on its way: its waiting owners look again.
		const waiting =
			before !== undefined && (!before.deleting || !sameOwners(beforeOwners, ownerReferences))
				? beforeOwners.map((o) => o.uid).filter((owner) => isForeground(this.#nodes.get(owner)))
				: [];
		if (ownerReferences.length === 0 && deletionTimestamp === undefined) {
			this.#nodes.delete(uid);
			this.#plain.set(uid, { resource, key: keyOf(object) });
			return isNew ? [...this.#strangers(uid), ...waiting] : waiting;
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
		const again: string[] = isNew ? [...this.#strangers(uid)] : [];
		const misplacing = ownerReferences.find((ref) => isNewOwner(ref, beforeOwners) && this.#isMisplaced(ref, node));
		if (misplacing !== undefined) this.#onMisplaced(node, misplacing);
		if ((isNew || !sameOwners(beforeOwners, ownerReferences)) && !this.ownersLive(node)) again.push(uid);
		const startsForeground = isForeground(node) && !isForeground(before);
		const startsOrphaning = node.deleting && node.finalizers.includes(ORPHAN);
		if (startsForeground) again.push(...this.dependents(uid).map((dependent) => dependent.uid));
		if (startsForeground || startsOrphaning) again.push(uid);
		return [...again, ...waiting];
	}

	/** The object is gone; answers the uids to look at because of it. */
	forget(uid: string): readonly string[] {
		const node = this.#nodes.get(uid);
		const identity = this.identityOf(uid);
		if (identity === undefined) return [];
		if (this.#dependents.has(uid)) this.absent.remember(asReference(uid, identity), splitKey(identity.key).namespace);
		this.#plain.delete(uid);
		this.#nodes.delete(uid);
		const owners = node?.owners ?? [];
		this.#relink(uid, owners, []);
		const waiting = owners.map((o) => o.uid).filter((owner) => isForeground(this.#nodes.get(owner)));
		return [...this.dependents(uid).map((d) => d.uid), ...waiting];
	}

	/** Dependents of an object just seen that take it for something else: some owner of theirs is not there. */
	*#strangers(uid: string): Generator<string, void> {
		for (const dependent of this.dependents(uid)) {
			const [ref] = dependent.owners.filter((owner) => owner.uid === uid && !this.owns(owner, dependent));
			if (ref === undefined) continue;
			if (this.#isMisplaced(ref, dependent)) this.#onMisplaced(dependent, ref);
			yield dependent.uid;
		}
	}

	#isMisplaced(ref: OwnerReference, dependent: Identity): boolean {
		const owner = this.identityOf(ref.uid);
		return owner !== undefined && isMisplaced(dependent, owner);
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

function isNewOwner({ uid }: OwnerReference, before: readonly OwnerReference[]): boolean {
	return before.every((ref) => ref.uid !== uid);
}

function asReference(uid: string, { resource, key }: Identity): OwnerReference {
	return { apiVersion: apiVersionOf(resource), kind: resource.kind, name: splitKey(key).name, uid };
}

function sameOwners(a: readonly OwnerReference[], b: readonly OwnerReference[]): boolean {
	return a.length === b.length && a.every((ref, i) => ref.uid === b[i]?.uid && ref.blockOwnerDeletion === b[i]?.blockOwnerDeletion);
}
