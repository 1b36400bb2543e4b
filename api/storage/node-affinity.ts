/** Which nodes reach a volume (component-helpers storage/volume CheckNodeAffinity). Pure. */
import type { PersistentVolume } from '../gen/types.ts';
import { matchesNodeTerm } from '../pod/node-affinity.ts';

/** Only labels count: a term by the node's name never matches, as upstream has it. */
export function volumeFitsNode(volume: PersistentVolume, labels: Readonly<Record<string, string>>): boolean {
	const required = volume.spec?.nodeAffinity?.required;
	return required === undefined || (required.nodeSelectorTerms ?? []).some((term) => matchesNodeTerm(term, { metadata: { labels } }));
}
