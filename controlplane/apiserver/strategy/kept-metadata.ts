/** What a write of a part of an object leaves alone of its metadata (upstream ResetObjectMetaForStatus). */
import type { Draft } from './strategy.ts';

const KEPT = ['deletionTimestamp', 'generation', 'selfLink', 'labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

export function keptMetadata({ metadata }: Draft, { metadata: old }: Draft): void {
	for (const field of KEPT) {
		if (old[field] === undefined) delete metadata[field];
		else Object.assign(metadata, { [field]: structuredClone(old[field]) });
	}
}
