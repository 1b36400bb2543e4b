/** From a pod's volume to the PersistentVolume behind its claim, once the two are bound. */
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '../../api/gen/types.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../api/resources.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';

export interface Claimed {
	readonly claim: PersistentVolumeClaim;
	readonly volume: PersistentVolume;
}

/** Undefined for a volume that is no claim's. */
export function claimNameOf(pod: Pod, volume: Volume): string | undefined {
	if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName;
	return volume.ephemeral === undefined ? undefined : `${pod.metadata.name ?? ''}-${volume.name}`;
}

/** Throws upstream's words for what cannot be used (yet). `starting`: the pod does not use it yet. */
export async function claimedVolume(pod: Pod, volume: Volume, starting: boolean, client: Client, signal: AbortSignal): Promise<Claimed> {
	const namespace = pod.metadata.namespace ?? '';
	const name = claimNameOf(pod, volume) ?? '';
	try {
		const claim = await fetched(
			client.get(PERSISTENT_VOLUME_CLAIMS, `${namespace}/${name}`, { signal }),
			'failed to fetch PVC from API server',
		);
		if (volume.ephemeral !== undefined) checkOwner(pod, claim);
		checkClaim(claim, starting);
		const volumeName = claim.spec?.volumeName ?? '';
		const found = await fetched(client.get(PERSISTENT_VOLUMES, volumeName, { signal }), `failed to get PV ${volumeName} from API server`);
		checkBinding(claim, found);
		checkMode(pod, volume.name, found);
		return { claim, volume: found };
	} catch (error) {
		if (signal.aborted) throw error;
		throw new AppError('FailedPrecondition', `error processing PVC ${namespace}/${name}: ${messageOf(error)}`, { cause: error });
	}
}

async function fetched<T>(answer: Promise<T>, what: string): Promise<T> {
	return answer.catch((cause: Error) => {
		throw new AppError('FailedPrecondition', `${what}: ${cause.message}`, { cause });
	});
}

/** A claim of that name which somebody else made is not the pod's. */
function checkOwner(pod: Pod, { metadata }: PersistentVolumeClaim): void {
	const { name = '', namespace = '', uid } = pod.metadata;
	const owned = metadata.ownerReferences?.some((o) => o.controller === true && o.uid === uid) === true;
	if (!owned)
		throw new AppError(
			'FailedPrecondition',
			`PVC ${namespace}/${metadata.name ?? ''} was not created for pod ${namespace}/${name} (pod is not owner)`,
		);
}

function checkClaim({ metadata, spec, status }: PersistentVolumeClaim, starting: boolean): void {
	if (starting && metadata.deletionTimestamp !== undefined) throw new AppError('FailedPrecondition', 'PVC is being deleted');
	if (status?.phase !== 'Bound' || (spec?.volumeName ?? '') === '') throw new AppError('FailedPrecondition', 'PVC is not bound');
}

function checkBinding({ metadata }: PersistentVolumeClaim, volume: PersistentVolume): void {
	const name = volume.metadata.name ?? '';
	const owner = volume.spec?.claimRef;
	if (owner === undefined)
		throw new AppError(
			'FailedPrecondition',
			`found PV object ${name} but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`,
		);
	if (owner.uid !== metadata.uid)
		throw new AppError(
			'FailedPrecondition',
			`found PV object ${name} but its pv.Spec.ClaimRef.UID ${owner.uid ?? ''} does not point to claim.UID ${metadata.uid ?? ''}`,
		);
}

/** A device is no folder, and the other way round. */
function checkMode(pod: Pod, name: string, volume: PersistentVolume): void {
	const { mounted, mapped } = usesOf(pod, name);
	const mode = volume.spec?.volumeMode ?? 'Filesystem';
	if (mode === 'Block' && mounted)
		throw new AppError('FailedPrecondition', `volume ${name} has volumeMode Block, but is specified in volumeMounts`);
	if (mode !== 'Block' && mapped)
		throw new AppError('FailedPrecondition', `volume ${name} has volumeMode Filesystem, but is specified in volumeDevices`);
}

/** How the containers of the pod use the volume. */
function usesOf(pod: Pod, name: string): { readonly mounted: boolean; readonly mapped: boolean } {
	const all = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? []), ...(pod.spec?.ephemeralContainers ?? [])];
	return {
		mounted: all.some((c) => c.volumeMounts?.some((m) => m.name === name)),
		mapped: all.some((c) => c.volumeDevices?.some((d) => d.name === name)),
	};
}
