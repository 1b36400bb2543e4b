/** Which workloads a change of something they own, or could own, concerns. */
import type { LabelSelector } from '../../api/gen/types.ts';
import { keyOf, type Key, type KubeObject } from '../../api/resource.ts';
import { matchesLabelSelector } from '../../api/selector/label.ts';
import type { Change, Lister } from '../../client/cache.ts';
import type { Expectations } from './expectations.ts';
import { controllerOf, isEmptySelector } from './owned.ts';

interface Selecting extends KubeObject {
	readonly spec?: { readonly selector?: LabelSelector | undefined } | undefined;
}

/** The owners of this kind, before and after; of what has none, all that could adopt it. */
export function interested<T extends KubeObject>({ before, after }: Change<T>, kind: string, workloads: Lister<Selecting>): Iterable<Key> {
	return new Set([before, after].flatMap((object) => (object === undefined ? [] : ownersOf(object, kind, workloads))));
}

function ownersOf(object: KubeObject, kind: string, workloads: Lister<Selecting>): readonly Key[] {
	const owner = ownerKey(object, kind);
	if (owner !== undefined) return [owner];
	if (controllerOf(object) !== undefined) return [];
	return workloads
		.list(object.metadata.namespace)
		.filter((w) => !isEmptySelector(w.spec?.selector) && matchesLabelSelector(w.spec?.selector, object.metadata.labels ?? {}))
		.map(keyOf);
}

/** The key of the workload of this kind that controls the object. */
export function ownerKey(object: KubeObject, kind: string): Key | undefined {
	const ref = controllerOf(object);
	return ref?.kind === kind ? keyOf({ metadata: { namespace: object.metadata.namespace, name: ref.name } }) : undefined;
}

/** Ticks off what the owner expected. Expectations are of owners by uid: another one of that name by now has none of them. */
export function seen({ before, after }: Change<KubeObject>, kind: string, expectations: Expectations): void {
	const object = after ?? before;
	const owner = object === undefined ? undefined : controllerOf(object);
	if (object === undefined || owner?.kind !== kind) return;
	if (before === undefined && after?.metadata.deletionTimestamp === undefined) expectations.creationObserved(owner.uid);
	if (after === undefined || after.metadata.deletionTimestamp !== undefined)
		expectations.deletionObserved(owner.uid, object.metadata.uid ?? '');
}

/** The workload itself; one that goes, or is another one by now, expects nothing any more. */
export function itself({ before, after }: Change<KubeObject>, expectations: Expectations): readonly Key[] {
	const workload = after ?? before;
	if (workload === undefined) return [];
	if (before !== undefined && before.metadata.uid !== after?.metadata.uid) expectations.forget(before.metadata.uid ?? '');
	return [keyOf(workload)];
}
