/** The hash in the names of a StatefulSet's revisions, as upstream works it out of the revision's bytes (controller/history HashControllerRevision). Pure. */
import type { PodTemplateSpec } from '../../api/gen/types.ts';
import { goJson } from '../../api/go-json.ts';
import { templatePatch } from './revisions.ts';

/** FNV-1, 32 bits. */
const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;
/** apimachinery util/rand: no vowels, so that no words come out. */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789';

export function revisionHash(template: PodTemplateSpec | undefined, collisions: number): string {
	const bytes = Buffer.from(`${goJson(templatePatch(template))}${collisions}`);
	const hash = bytes.reduce((h, byte) => (Math.imul(h, PRIME) ^ byte) >>> 0, OFFSET);
	return [...Buffer.from(String(hash))].map((byte) => SAFE[byte % SAFE.length]).join('');
}
