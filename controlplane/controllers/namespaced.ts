/** For controllers whose keys are namespaces: which namespace a change concerns, and whether it still takes new objects. */
import type { Namespace } from '../../api/gen/types.ts';
import type { Key, KubeObject } from '../../api/resource.ts';
import { StatusError } from '../../api/status.ts';
import type { Change } from '../../client/cache.ts';

/** The namespace of the changed object. */
export function namespaceKeys(change: Change<KubeObject>): readonly Key[] {
	const namespace = (change.after ?? change.before)?.metadata.namespace;
	return namespace === undefined ? [] : [namespace];
}

export function isActiveNamespace(namespace: Namespace | undefined): boolean {
	return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined && namespace.status?.phase !== 'Terminating';
}

/** The namespace is being deleted and takes nothing new (the cause that admission gives). */
export function isNamespaceGoing(error: unknown): boolean {
	return error instanceof StatusError && (error.status.details?.causes ?? []).some((cause) => cause.reason === 'NamespaceTerminating');
}
