/** What a kind is: the typed handle by which clients, controllers and the apiserver name a resource. */
import type { ObjectMeta } from './gen/types.ts';

/** Anything with an identity on the API. Generated kinds are assignable to it. */
export interface KubeObject {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
}

/** One value per kind, from the registry (`api/resources.ts`). `T` is the kind's generated type. */
export interface Resource<T extends KubeObject = KubeObject> {
	/** '' for the core group. */
	readonly group: string;
	readonly version: string;
	readonly kind: string;
	readonly plural: string;
	readonly namespaced: boolean;
	readonly subresources: readonly string[];
	/** Never set: carries the type. */
	readonly $type?: T;
}

/** A subresource as discovery shows it; its kind may be of another group. */
export interface SubresourceRow {
	readonly name: string;
	readonly kind: string;
	readonly kindGroup: string;
	readonly kindVersion: string;
	readonly verbs: readonly string[];
}

/** A resource with what discovery tells of it. */
export interface ResourceRow<T extends KubeObject = KubeObject> extends Resource<T> {
	readonly singular: string;
	readonly verbs: readonly string[];
	readonly shortNames: readonly string[];
	readonly categories: readonly string[];
	readonly rows: readonly SubresourceRow[];
}

/** "namespace/name", or "name" for cluster-scoped objects. Work queues, logs and caches carry keys, not objects. */
export type Key = string;

/** The key of an object; an object without a name has the key "". */
export function keyOf(object: KubeObject): Key {
	const { namespace, name = '' } = object.metadata;
	return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** Splits a key; namespace is undefined for cluster-scoped objects. */
export function splitKey(key: Key): { readonly namespace: string | undefined; readonly name: string } {
	const at = key.indexOf('/');
	return at < 0 ? { namespace: undefined, name: key } : { namespace: key.slice(0, at), name: key.slice(at + 1) };
}

/** "group/version", or "version" for the core group. */
export function apiVersionOf(resource: { readonly group: string; readonly version: string }): string {
	return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}
