/** What a controller is before the loop is put around it: where its keys come from, and what it does with one. */
import type { KeySource, Reconcile } from '../../client/controller.ts';

export interface Reconciler {
	readonly sources: readonly KeySource[];
	readonly reconcile: Reconcile;
}
