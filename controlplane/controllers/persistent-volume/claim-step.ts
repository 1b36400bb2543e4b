/**
 * What the binder does next with a claim (upstream's syncUnboundClaim and syncBoundClaim). Pure.
 *
 *     Pending --volume found or named--> Bound --volume or reference gone, or another claim's--> Lost
 */
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../../api/gen/types.ts';
import { keyOf, type KubeObject } from '../../../api/resource.ts';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, hasAnnotation, SELECTED_NODE } from '../../../api/storage/annotations.ts';
import { classOfClaim, hasClass } from '../../../api/storage/class.ts';
import { isBoundTo, mismatch } from '../../../api/storage/match.ts';

export interface Told {
	readonly type: 'Normal' | 'Warning';
	readonly reason: string;
	readonly message: string;
}

export type ClaimStep<V, S> =
	/** Its status is Pending; why, if there is something to say. */
	| { readonly do: 'wait'; readonly told?: Told }
	| { readonly do: 'bind'; readonly volume: V }
	| { readonly do: 'setClass'; readonly storageClass: S }
	| { readonly do: 'provision' }
	| { readonly do: 'lose'; readonly told: Told }
	/** The volume that the binder chose is another claim's by now: tried again. */
	| { readonly do: 'retry'; readonly told: Told; readonly error: string };

/** What of the cluster a step depends on. */
export interface ClaimView<V, S> {
	/** The volume the claim names, if it is there. */
	readonly named: V | undefined;
	/** Whether its class waits for the first consumer. */
	readonly isDelayed: boolean;
	findMatch(): V | undefined;
	defaultClass(): S | undefined;
	/** Names of pods that use the claim and have no node yet. */
	waitingPods(): readonly string[];
}

export function claimStep<V extends PersistentVolume & KubeObject, S extends StorageClass & KubeObject>(
	claim: PersistentVolumeClaim & KubeObject,
	view: ClaimView<V, S>,
): ClaimStep<V, S> {
	if (hasAnnotation(claim, BIND_COMPLETED)) return boundStep(claim, view.named);
	return (claim.spec?.volumeName ?? '') === '' ? openStep(claim, view) : namingStep(claim, view.named);
}

function openStep<V extends PersistentVolume & KubeObject, S extends StorageClass & KubeObject>(
	claim: PersistentVolumeClaim,
	view: ClaimView<V, S>,
): ClaimStep<V, S> {
	const volume = view.findMatch();
	if (volume !== undefined) return { do: 'bind', volume };
	const storageClass = hasClass(claim) ? undefined : view.defaultClass();
	if (storageClass !== undefined) return { do: 'setClass', storageClass };
	if (view.isDelayed && !hasAnnotation(claim, SELECTED_NODE)) return { do: 'wait', told: waitingFor(view.waitingPods()) };
	if (classOfClaim(claim) !== '') return { do: 'provision' };
	return { do: 'wait', told: normal('FailedBinding', 'no persistent volumes available for this claim and no storage class is set') };
}

function waitingFor(pods: readonly string[]): Told {
	if (pods.length === 0) return normal('WaitForFirstConsumer', 'waiting for first consumer to be created before binding');
	return normal('WaitForPodScheduled', `waiting for ${pods.length > 1 ? 'pods' : 'pod'} ${pods.join(',')} to be scheduled`);
}

/** Somebody named the volume, or the binder was interrupted. */
function namingStep<V extends PersistentVolume & KubeObject>(
	claim: PersistentVolumeClaim & KubeObject,
	volume: V | undefined,
): ClaimStep<V, never> {
	if (volume === undefined) return { do: 'wait' };
	const ref = volume.spec?.claimRef;
	if (ref === undefined) {
		const why = mismatch(volume, claim);
		if (why === undefined) return { do: 'bind', volume };
		return { do: 'wait', told: warning('VolumeMismatch', `Cannot bind to requested volume "${volume.metadata.name}": ${why}`) };
	}
	if (isBoundTo(volume, claim)) return { do: 'bind', volume };
	const told = warning('FailedBinding', `volume "${volume.metadata.name}" already bound to a different claim.`);
	if (!hasAnnotation(claim, BOUND_BY_CONTROLLER)) return { do: 'wait', told };
	const error = `invalid binding of claim "${keyOf(claim)}" to volume "${volume.metadata.name}": volume already claimed by "${ref.namespace}/${ref.name}"`;
	return { do: 'retry', told, error };
}

function boundStep<V extends PersistentVolume>(claim: PersistentVolumeClaim, volume: V | undefined): ClaimStep<V, never> {
	const lost = (message: string): ClaimStep<V, never> => ({ do: 'lose', told: warning('ClaimLost', message) });
	if ((claim.spec?.volumeName ?? '') === '') return lost('Bound claim has lost reference to PersistentVolume. Data on the volume is lost!');
	if (volume === undefined) return lost('Bound claim has lost its PersistentVolume. Data on the volume is lost!');
	const ref = volume.spec?.claimRef;
	if (ref === undefined || ref.uid === claim.metadata.uid) return { do: 'bind', volume };
	const message = 'Two claims are bound to the same volume, this one is bound incorrectly';
	return { do: 'lose', told: warning('ClaimMisbound', message) };
}

function normal(reason: string, message: string): Told {
	return { type: 'Normal', reason, message };
}

function warning(reason: string, message: string): Told {
	return { type: 'Warning', reason, message };
}
