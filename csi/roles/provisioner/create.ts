/** CreateVolume, and the PersistentVolume made from its answer (external-provisioner's Provision). */
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../../api/gen/types.ts';
import { formatQuantity } from '../../../api/quantity.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/resources.ts';
import { PROVISIONED_BY, SELECTED_NODE } from '../../../api/storage/annotations.ts';
import { classOfClaim } from '../../../api/storage/class.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import { referenceTo } from '../../../client/events.ts';
import { PluginCapability_Service_Type as Service, VolumeCapability_AccessMode_Mode as Mode, type Volume } from '../../proto.ts';
import { isFinal } from '../final.ts';
import { ANNOTATION, VOLUME_FINALIZER, type Provisioning } from './options.ts';
import { ProvisionError } from './provision-error.ts';
import { prepare, type Prepared } from './request.ts';
import { nodeAffinity } from './topology.ts';

/** How often a volume that is of no use is tried to be deleted (deleteVolumeRetryCount). */
const CLEANUP_TRIES = 5;
/** So that the driver can be told who made a volume (provisionerIDKey). */
const PROVISIONER_IDENTITY = 'storage.kubernetes.io/csiProvisionerIdentity';

/** Throws a ProvisionError. */
export async function createVolume(
	provisioning: Provisioning,
	identity: string,
	claim: PersistentVolumeClaim,
	storageClass: StorageClass,
	signal: AbortSignal,
): Promise<PersistentVolume> {
	const selectedNode = claim.metadata.annotations?.[SELECTED_NODE] ?? '';
	const prepared = await prepare(provisioning, claim, storageClass, selectedNode, signal);
	const { driver } = provisioning;
	const withTopology = driver.services.has(Service.VOLUME_ACCESSIBILITY_CONSTRAINTS);
	let volume: Volume | undefined;
	try {
		({ volume } = await driver.controller.createVolume(prepared.request, { timeoutMs: driver.timeoutMs, signal }));
	} catch (error) {
		const elsewhere = withTopology && selectedNode !== '' && error instanceof AppError && error.code === 'ResourceExhausted';
		throw new ProvisionError(elsewhere ? 'reschedule' : isFinal(error) ? 'finished' : 'inBackground', error);
	}
	if (volume === undefined)
		throw new ProvisionError('inBackground', new AppError('Internal', 'the driver answered CreateVolume without a volume'));
	await requireFit(provisioning, prepared, volume, signal);
	return volumeOf(claim, storageClass, prepared, volume, {
		withTopology,
		driver: driver.name,
		identity,
		publishReadOnly: provisioning.options.publishReadOnly,
	});
}

/** One that is too small or empty where it should be a copy is deleted, and asked for again. */
async function requireFit({ driver }: Provisioning, { request, dataSource }: Prepared, volume: Volume, signal: AbortSignal): Promise<void> {
	const required = request.capacityRange?.requiredBytes ?? 0n;
	const tooSmall = volume.capacityBytes !== 0n && volume.capacityBytes < required;
	if (!tooSmall && (dataSource === undefined || volume.contentSource !== undefined)) return;
	let why = tooSmall
		? `created volume capacity ${volume.capacityBytes} less than requested capacity ${required}`
		: 'volume content source missing';
	for (let tries = 1; ; tries++)
		try {
			const call = { timeoutMs: driver.timeoutMs, signal };
			await driver.controller.deleteVolume({ volumeId: volume.volumeId, secrets: request.secrets }, call);
			break;
		} catch (error) {
			if (tries < CLEANUP_TRIES) continue;
			why = `${why}. Cleanup of volume ${request.name} failed, volume is orphaned: ${messageOf(error)}`;
			break;
		}
	throw new ProvisionError('inBackground', new AppError('Internal', why));
}

interface Made {
	readonly withTopology: boolean;
	readonly driver: string;
	readonly identity: string;
	readonly publishReadOnly: boolean;
}

/** Pure. */
export function volumeOf(
	claim: PersistentVolumeClaim,
	storageClass: StorageClass,
	{ request, fsType, source, deletionSecret, modifySecret }: Prepared,
	volume: Volume,
	{ withTopology, driver, identity, publishReadOnly }: Made,
): PersistentVolume {
	const block = claim.spec?.volumeMode === 'Block';
	// A driver that says 0 does not know.
	const bytes = volume.capacityBytes === 0n ? (request.capacityRange?.requiredBytes ?? 0n) : volume.capacityBytes;
	const [only, ...more] = request.volumeCapabilities;
	const readOnly = publishReadOnly && more.length === 0 && only?.accessMode?.mode === Mode.MULTI_NODE_READER_ONLY;
	const vac = claim.spec?.volumeAttributesClassName ?? '';
	const affinity = withTopology ? nodeAffinity(volume.accessibleTopology) : undefined;
	return {
		metadata: {
			name: request.name,
			finalizers: [VOLUME_FINALIZER],
			annotations: {
				[PROVISIONED_BY]: driver,
				[ANNOTATION.deletionSecretName]: deletionSecret?.name ?? '',
				[ANNOTATION.deletionSecretNamespace]: deletionSecret?.namespace ?? '',
				...(modifySecret === undefined
					? {}
					: {
							[ANNOTATION.modifySecretName]: modifySecret.name ?? '',
							[ANNOTATION.modifySecretNamespace]: modifySecret.namespace ?? '',
						}),
			},
		},
		spec: {
			accessModes: claim.spec?.accessModes,
			capacity: { storage: formatQuantity({ nano: bytes * 1_000_000_000n, format: 'BinarySI' }) },
			claimRef: referenceTo(PERSISTENT_VOLUME_CLAIMS, claim),
			csi: {
				...source,
				volumeHandle: volume.volumeId,
				volumeAttributes: { [PROVISIONER_IDENTITY]: identity, ...volume.volumeContext },
				...(readOnly ? { readOnly } : {}),
				...(block ? {} : { fsType }),
			},
			mountOptions: storageClass.mountOptions,
			...(affinity === undefined ? {} : { nodeAffinity: affinity }),
			persistentVolumeReclaimPolicy: storageClass.reclaimPolicy,
			storageClassName: classOfClaim(claim),
			...(vac === '' ? {} : { volumeAttributesClassName: vac }),
			volumeMode: claim.spec?.volumeMode,
		},
	};
}
