/** What an object is beside its uid, and whether a reference means it. Pure; upstream's ownerReferenceMatchesCoordinates. */
import type { OwnerReference } from '../../../api/gen/types.ts';
import { splitKey, type Key } from '../../../api/resource.ts';
import type { DiscoveredResource } from '../discovered.ts';

export interface Identity {
	readonly resource: DiscoveredResource;
	readonly key: Key;
}

/** Whether the owner that has the reference's uid is what the reference says: of that group, kind and name, and of no other namespace. */
export function refersTo(ref: OwnerReference, dependent: Identity, owner: Identity): boolean {
	const { group, kind } = owner.resource;
	return groupOf(ref.apiVersion) === group && ref.kind === kind && splitKey(owner.key).name === ref.name && !isMisplaced(dependent, owner);
}

/** Owners of a namespace own within it; those of the cluster everywhere. */
export function isMisplaced(dependent: Identity, owner: Identity): boolean {
	const { namespace } = splitKey(owner.key);
	return namespace !== undefined && namespace !== splitKey(dependent.key).namespace;
}

export function groupOf(apiVersion: string): string {
	return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}
