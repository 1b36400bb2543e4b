/** What writes of a status leave alone or complete, where a kind has more to it than "the status changes, the rest stays". */
import type { CertificateSigningRequest, CertificateSigningRequestCondition, PersistentVolume } from '../../../api/gen/types.ts';
import { keptMetadata } from './kept-metadata.ts';
import type { Draft, Strategy } from './strategy.ts';

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

export const signingRequest: Pick<Strategy, 'prepareForUpdate' | 'prepareForStatusUpdate' | 'prepareForApproval'> = {
	prepareForUpdate(object, old) {
		object['spec'] = old['spec'];
	},
	prepareForStatusUpdate(object, old, now) {
		for (const type of ['Approved', 'Denied']) keepConditions(object, old, type);
		timed(object, old, now);
	},
	prepareForApproval: (object, old, now) => timed(object, old, now),
};

function conditionsOf(object: Draft): readonly CertificateSigningRequestCondition[] {
	return (object as unknown as CertificateSigningRequest).status?.conditions ?? [];
}

function setConditions(object: Draft, conditions: readonly CertificateSigningRequestCondition[]): void {
	const { status } = object as unknown as CertificateSigningRequest;
	if (status?.conditions !== undefined) object['status'] = { ...status, conditions: [...conditions] };
}

/** As many conditions of the type as before stay as they were; another number is for validation to refuse. */
function keepConditions(object: Draft, old: Draft, type: string): void {
	const before = conditionsOf(old).filter((c) => c.type === type);
	const now = conditionsOf(object);
	if (now.filter((c) => c.type === type).length !== before.length) return;
	let at = 0;
	setConditions(
		object,
		now.map((c) => (c.type === type ? (before[at++] ?? c) : c)),
	);
}

/** Conditions without times get them: the time of the change is that of before where type and status are the same. */
function timed(object: Draft, old: Draft, now: string): void {
	const before = conditionsOf(old);
	const conditions = conditionsOf(object).map((condition) => {
		const same = before.find((c) => c.type === condition.type && c.status === condition.status && (c.lastTransitionTime ?? null) !== null);
		return {
			...condition,
			lastUpdateTime: condition.lastUpdateTime ?? now,
			lastTransitionTime: condition.lastTransitionTime ?? same?.lastTransitionTime ?? now,
		};
	});
	setConditions(object, conditions);
}
