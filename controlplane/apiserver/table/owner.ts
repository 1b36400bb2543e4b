/** The controlling owner of an object as tables show it: "replicaset.apps/x". Pure. */
import type { ObjectMeta } from '../../../api/gen/types.ts';

export function controllerName({ metadata }: { readonly metadata: ObjectMeta }): string {
	const owner = metadata.ownerReferences?.find((ref) => ref.controller === true);
	if (owner === undefined) return '<none>';
	const group = owner.apiVersion.includes('/') ? `.${owner.apiVersion.slice(0, owner.apiVersion.indexOf('/'))}` : '';
	return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
}
