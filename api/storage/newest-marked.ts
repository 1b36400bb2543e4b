/** Which of several classes marked as default counts: the newest, then the first by name. */
import type { KubeObject } from '../resource.ts';

export function newestMarked<T extends KubeObject>(classes: readonly T[], annotations: readonly string[]): T | undefined {
	const created = (one: T): number => Date.parse(String(one.metadata.creationTimestamp ?? '')) || 0;
	return classes
		.filter((one) => annotations.some((name) => one.metadata.annotations?.[name] === 'true'))
		.sort((a, b) => created(b) - created(a) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))[0];
}
