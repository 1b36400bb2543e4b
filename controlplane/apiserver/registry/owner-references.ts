/** An owner that is named twice in the same words is kept once, with a warning. */
import type { OwnerReference } from '../../../api/gen/types.ts';
import type { Draft } from '../strategy/strategy.ts';

const AFTER = ' after mutating admission happens';

/** @param admitted whether admission has changed the object already */
export function dropRepeatedOwners({ metadata }: Draft, warn: (text: string) => void, admitted: boolean): void {
	const { ownerReferences: given } = metadata;
	if (given === undefined || given.length < 2) return;
	const kept = new Map<string, OwnerReference>();
	const repeated: string[] = [];
	for (const reference of given) {
		const words = wordsOf(reference);
		if (kept.has(words)) repeated.push(reference.uid);
		else kept.set(words, reference);
	}
	if (repeated.length === 0) return;
	metadata.ownerReferences = [...kept.values()];
	warn(
		`.metadata.ownerReferences contains duplicate entries${admitted ? AFTER : ''}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`,
	);
}

/** The same of references that say the same. */
function wordsOf(reference: OwnerReference): string {
	const said = Object.entries(reference).filter(([, value]) => value !== undefined);
	return JSON.stringify(said.sort(([a], [b]) => (a < b ? -1 : 1)));
}
