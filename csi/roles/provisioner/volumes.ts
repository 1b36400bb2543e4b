/** Volumes that were released are deleted where their policy says so, first by the driver and then as objects. Keys are volumes. */
import { hasFinalizer } from '../../../api/finalizers.ts';
import type { PersistentVolume, SecretReference } from '../../../api/gen/types.ts';
import { PERSISTENT_VOLUMES } from '../../../api/resources.ts';
import { PROVISIONED_BY } from '../../../api/storage/annotations.ts';
import { classOfVolume } from '../../../api/storage/class.ts';
import { AppError, ignore, messageOf } from '../../../base/errors.ts';
import type { Reconcile } from '../../../client/controller.ts';
import { referenceTo } from '../../../client/events.ts';
import { addFinalizer, removeFinalizer } from '../finalizers.ts';
import { credentials, secretReference } from '../secrets.ts';
import { ANNOTATION, VOLUME_FINALIZER, type Provisioning } from './options.ts';
import { CALL_SECRETS } from './parameters.ts';
import { tokensOf } from './request.ts';

export function volumeReconcile(provisioning: Provisioning): Reconcile {
	const { client, driver, listers, recorder } = provisioning;
	return async (key, signal) => {
		const seen = listers.volumes.get(key);
		if (seen === undefined || !isOf(seen, driver.name)) return;
		const volume = await guarded(provisioning, seen, signal);
		if (!isToDelete(volume)) return;
		try {
			await deleteData(provisioning, volume, signal);
		} catch (error) {
			signal.throwIfAborted();
			recorder.event(referenceTo(PERSISTENT_VOLUMES, volume), 'Warning', 'VolumeFailedDelete', messageOf(error));
			throw error;
		}
		const { uid } = volume.metadata;
		await client.delete(PERSISTENT_VOLUMES, key, { signal, ...(uid === undefined ? {} : { uid }) }).catch(ignore('NotFound'));
		const left = await client.get(PERSISTENT_VOLUMES, key, { signal }).catch(ignore('NotFound'));
		if (left !== undefined && left.metadata.uid === uid) await removeFinalizer(client, PERSISTENT_VOLUMES, left, VOLUME_FINALIZER, signal);
	};
}

/** Provisioned by this driver's provisioner, or one of its volumes that somebody made by hand. Pure. */
export function isOf({ metadata, spec }: PersistentVolume, driver: string): boolean {
	const { [PROVISIONED_BY]: by, [ANNOTATION.migratedTo]: migratedTo } = metadata.annotations ?? {};
	if (by !== undefined) return by === driver || migratedTo === driver;
	return spec?.csi === undefined ? migratedTo === driver : spec.csi.driver === driver;
}

/** A volume that is to be deleted with its claim does not go before its data; one that is to stay is not held. */
async function guarded({ client }: Provisioning, volume: PersistentVolume, signal: AbortSignal): Promise<PersistentVolume> {
	const policy = volume.spec?.persistentVolumeReclaimPolicy;
	const [deleted, bound] = [volume.metadata.deletionTimestamp !== undefined, volume.status?.phase === 'Bound'];
	if (policy === 'Delete') return deleted || !bound ? volume : addFinalizer(client, PERSISTENT_VOLUMES, volume, VOLUME_FINALIZER, signal);
	return removeFinalizer(client, PERSISTENT_VOLUMES, volume, VOLUME_FINALIZER, signal);
}

/** Pure. */
function isToDelete(volume: PersistentVolume): boolean {
	if (volume.metadata.deletionTimestamp !== undefined && !hasFinalizer(volume, VOLUME_FINALIZER)) return false;
	return volume.status?.phase === 'Released' && volume.spec?.persistentVolumeReclaimPolicy === 'Delete';
}

async function deleteData(provisioning: Provisioning, volume: PersistentVolume, signal: AbortSignal): Promise<void> {
	const { driver, listers } = provisioning;
	const csi = volume.spec?.csi;
	if (csi === undefined) throw new AppError('InvalidArgument', 'invalid CSI PV');
	const secrets = await deletionSecrets(provisioning, volume, signal);
	const attached = listers.attachments.list().find((a) => a.spec.source.persistentVolumeName === volume.metadata.name);
	if (attached !== undefined)
		throw new AppError(
			'FailedPrecondition',
			`persistentvolume ${volume.metadata.name} is still attached to node ${attached.spec.nodeName}, waiting for detach`,
		);
	await driver.controller.deleteVolume({ volumeId: csi.volumeHandle, secrets }, { timeoutMs: driver.timeoutMs, signal });
}

/** Those the volume was made with; a secret that is gone does not keep the volume. */
async function deletionSecrets(provisioning: Provisioning, volume: PersistentVolume, signal: AbortSignal): Promise<Record<string, string>> {
	const { client, log } = provisioning;
	const reference = secretOf(provisioning, volume);
	try {
		return await credentials(client, reference, signal);
	} catch (error) {
		signal.throwIfAborted();
		log.error('no secret for the deletion of a volume', { volume: volume.metadata.name, reason: messageOf(error) });
		return {};
	}
}

function secretOf({ listers }: Provisioning, volume: PersistentVolume): SecretReference | undefined {
	const { [ANNOTATION.deletionSecretName]: name, [ANNOTATION.deletionSecretNamespace]: namespace } = volume.metadata.annotations ?? {};
	if (name !== undefined && namespace !== undefined) return name === '' || namespace === '' ? undefined : { name, namespace };
	const storageClass = listers.classes.get(classOfVolume(volume));
	const claim = volume.spec?.claimRef;
	if (storageClass === undefined || claim === undefined) return undefined;
	const tokens = tokensOf({ metadata: { name: claim.name, namespace: claim.namespace } }, volume.metadata.name ?? '');
	return secretReference(CALL_SECRETS.provisioner, storageClass.parameters ?? {}, tokens);
}
