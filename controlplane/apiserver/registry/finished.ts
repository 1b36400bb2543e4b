/** When an object that is being deleted may go: its grace is over and nothing holds it. Pure. */
import type { Draft } from '../strategy/strategy.ts';
import type { Kind } from './kinds.ts';

export function isFinished(kind: Kind, object: Draft): boolean {
	const { finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
	return finalizers.length === 0 && deletionGracePeriodSeconds === 0 && !namespaceHeld(kind, object);
}

/** A namespace has finalizers of its own in its spec; its finalize subresource takes them away. */
export function namespaceHeld(kind: Kind, object: Draft): boolean {
	if (!isNamespace(kind)) return false;
	return ((object['spec'] as { finalizers?: string[] } | undefined)?.finalizers ?? []).length > 0;
}

export function isNamespace({ resource }: Kind): boolean {
	return resource.kind === 'Namespace' && resource.group === '';
}
