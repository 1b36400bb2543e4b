/** An informer that a controller reads but is not woken by: it must only have synced. */
import type { KubeObject } from '../../api/resource.ts';
import { keysFrom, type KeySource } from '../../client/controller.ts';
import type { Informer } from '../../client/informer.ts';

export function awaited<T extends KubeObject>(informer: Informer<T>): KeySource {
	return keysFrom(informer, () => []);
}
