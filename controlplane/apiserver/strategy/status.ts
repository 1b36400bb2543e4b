/** What writes of a status leave alone or complete, where a kind has more to it than "the status changes, the rest stays". */
import type { PersistentVolume } from '../../../api/gen/types.ts';
import { keptMetadata } from './kept-metadata.ts';
import type { Draft } from './strategy.ts';

/** The status subresource leaves labels alone (Deployments). */
export const statusKeepsLabels = (object: Draft, old: Draft): void => {
	if (old.metadata.labels === undefined) delete object.metadata.labels;
	else object.metadata.labels = old.metadata.labels;
};

/** The status subresource leaves metadata alone. */
export const statusKeepsMetadata = (object: Draft, old: Draft): void => keptMetadata(object, old);

/** As above, to the letter: only who owns which field is of the write. */
export const statusKeepsAllMetadata = (object: Draft, old: Draft): void => {
	const { managedFields } = object.metadata;
	const { resourceVersion: _, managedFields: __, ...metadata } = structuredClone(old.metadata);
	object.metadata = managedFields === undefined ? metadata : { ...metadata, managedFields };
};

/** A phase that changes is given the time, unless its writer says one. */
export const phaseTimed = (object: Draft, old: Draft, now: string): void => {
	const { status } = object as PersistentVolume;
	const before = (old as PersistentVolume).status;
	if (status === undefined) return;
	const { lastPhaseTransitionTime: time } = status;
	if (before?.phase === status.phase) status.lastPhaseTransitionTime = time ?? before?.lastPhaseTransitionTime;
	else if (time === undefined || time === null || time === before?.lastPhaseTransitionTime) status.lastPhaseTransitionTime = now;
};

/** Their status brings no configuration, unless they had one. */
export const nodeStatus = (object: Draft, old: Draft): void => {
	if ((old['status'] as { config?: unknown } | undefined)?.config === undefined) withoutConfig(object);
};

/** The configuration of kubelets by the API is a feature that is gone. */
export const withoutConfig = (object: Draft): void => {
	const status = object['status'] as { config?: unknown } | undefined;
	if (status !== undefined) delete status.config;
};
