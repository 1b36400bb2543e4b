/** Which objects a controller owns, adopts or lets go (upstream's ControllerRefManager rules). Pure. */
import type { LabelSelector, ObjectMeta, OwnerReference } from '../../api/gen/types.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../../api/resource.ts';

/** The owner that controls an object, if any. */
export function controllerOf(object: { readonly metadata: ObjectMeta }): OwnerReference | undefined {
	return object.metadata.ownerReferences?.find((ref) => ref.controller === true);
}

/** The reference by which `owner` controls what it makes. */
export function controllerRef(resource: Resource, owner: KubeObject): OwnerReference {
	return {
		apiVersion: apiVersionOf(resource),
		kind: resource.kind,
		name: owner.metadata.name ?? '',
		uid: owner.metadata.uid ?? '',
		controller: true,
		blockOwnerDeletion: true,
	};
}

export type Claim = 'mine' | 'adopt' | 'release' | 'foreign';

/** What `owner` does with one object: its own that matches is mine, one that no longer matches is released, a matching orphan is adopted. */
export function claimOf(owner: KubeObject, object: KubeObject, matches: boolean): Claim {
	const ref = controllerOf(object);
	if (ref !== undefined) {
		if (ref.uid !== owner.metadata.uid) return 'foreign';
		return matches ? 'mine' : owner.metadata.deletionTimestamp === undefined ? 'release' : 'foreign';
	}
	const free = owner.metadata.deletionTimestamp === undefined && object.metadata.deletionTimestamp === undefined;
	return matches && free ? 'adopt' : 'foreign';
}

/** An empty selector matches nothing here: a workload without one must never adopt everything. */
export function isEmptySelector(selector: LabelSelector | undefined): boolean {
	return selector === undefined || (Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0);
}
