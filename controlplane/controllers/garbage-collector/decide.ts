/** What becomes of an object, given what is known of its owners. Pure; upstream's attemptToDeleteItem. */
import type { OwnerReference } from '../../../api/gen/types.ts';
import { FOREGROUND, ORPHAN } from './graph.ts';

/**
 * solid: it lives; dangling: it is gone; waiting: it is being deleted and waits for its dependents; unknown: its kind is not served, which may change;
 * impossible: it is of a namespace, and the dependent is not.
 */
export type OwnerState = 'solid' | 'dangling' | 'waiting' | 'unknown' | 'impossible';

export type Fate =
	| { readonly type: 'keep' }
	| { readonly type: 'unlink'; readonly keep: readonly OwnerReference[] }
	| { readonly type: 'delete'; readonly policy: 'Foreground' | 'Background' | 'Orphan' };

export function fateOf(
	owners: readonly { readonly ref: OwnerReference; readonly state: OwnerState }[],
	own: { readonly finalizers: readonly string[]; readonly hasDependents: boolean },
): Fate {
	if (owners.length === 0) return { type: 'keep' };
	// Nothing is deleted on a guess.
	if (owners.some((o) => o.state === 'unknown' || o.state === 'impossible')) return { type: 'keep' };
	const solid = owners.filter((o) => o.state === 'solid');
	if (solid.length === owners.length) return { type: 'keep' };
	if (solid.length > 0) return { type: 'unlink', keep: solid.map((o) => o.ref) };
	if (owners.some((o) => o.state === 'waiting') && own.hasDependents) return { type: 'delete', policy: 'Foreground' };
	if (own.finalizers.includes(ORPHAN)) return { type: 'delete', policy: 'Orphan' };
	if (own.finalizers.includes(FOREGROUND)) return { type: 'delete', policy: 'Foreground' };
	return { type: 'delete', policy: 'Background' };
}
