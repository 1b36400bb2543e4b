/** What a write of a part of an object leaves alone of its metadata. */
import type { Draft } from './strategy.ts';

const DESCRIPTION = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;
const KEPT = ['deletionTimestamp', 'generation', 'selfLink', ...DESCRIPTION] as const;

/** As upstream's ResetObjectMetaForStatus. */
export function keptMetadata(object: Draft, old: Draft): void {
	keep(object, old, KEPT);
}

/** What people say of the object, and whose it is. */
export function keptDescription(object: Draft, old: Draft): void {
	keep(object, old, DESCRIPTION);
}

function keep({ metadata }: Draft, { metadata: old }: Draft, fields: readonly (typeof KEPT)[number][]): void {
	for (const field of fields) {
		if (old[field] === undefined) delete metadata[field];
		else Object.assign(metadata, { [field]: structuredClone(old[field]) });
	}
}
