/** Patches with the content type that is meant: the typed client sends one kind only. */
import type { Answer } from './raw.ts';
import type { World } from './suite.ts';

const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';

export function patch({ raw }: World, path: string, body: object, type = STRATEGIC_PATCH): Promise<Answer> {
	return raw('PATCH', path, { headers: { 'content-type': type }, body });
}
