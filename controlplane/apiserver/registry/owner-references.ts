/** An owner that is named twice in the same words is kept once, with a warning. */
import { sameJson } from '../../../api/same-json.ts';
import type { OwnerReference } from '../../../api/gen/types.ts';
import type { Draft } from '../strategy/strategy.ts';

const AFTER = ' after mutating admission happens';

/** @param admitted whether admission has changed the object already */
export function dropRepeatedOwners({ metadata }: Draft, warn: (text: string) => void, admitted: boolean): void {
	const { ownerReferences: given } = metadata;
	if (given === undefined || given.length < 2) return;
	const kept: OwnerReference[] = [];
	const repeated: string[] = [];
	for (const reference of given)
		if (kept.some((other) => sameJson(other, reference))) repeated.push(reference.uid);
		else kept.push(reference);
	if (repeated.length === 0) return;
	metadata.ownerReferences = kept;
	warn(
		`.metadata.ownerReferences contains duplicate entries${admitted ? AFTER : ''}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`,
	);
}
