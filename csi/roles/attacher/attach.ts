/** ControllerPublishVolume and ControllerUnpublishVolume for VolumeAttachments (external-attacher's csi_handler). Keys are attachments. */
import { hasFinalizer } from '../../../api/finalizers.ts';
import type { CSINode, PersistentVolume, VolumeAttachment } from '../../../api/gen/types.ts';
import type { Key } from '../../../api/resource.ts';
import { PERSISTENT_VOLUMES, VOLUME_ATTACHMENTS } from '../../../api/resources.ts';
import { AppError, codeOf, messageOf } from '../../../base/errors.ts';
import type { Lister } from '../../../client/cache.ts';
import type { Reconcile } from '../../../client/controller.ts';
import { ControllerServiceCapability_RPC_Type as Rpc } from '../../proto.ts';
import { driverOn } from '../csi-node.ts';
import { addFinalizer } from '../finalizers.ts';
import type { RoleDeps } from '../role.ts';
import { credentials } from '../secrets.ts';
import { capabilityOfVolume } from '../volume-capability.ts';
import { attachedBy, attacherFinalizer, markAttached, markDetached, NODE_ID_ANNOTATION, saveError } from './attachment.ts';

export interface Attaching extends RoleDeps {
	readonly attachments: Lister<VolumeAttachment>;
	readonly volumes: Lister<PersistentVolume>;
	readonly csiNodes: Lister<CSINode>;
	/** --default-fstype */
	readonly defaultFsType: string;
	/** Attachments that are wrong about their volumes: done again whatever their status says. */
	readonly forced: Set<Key>;
}

export function attachmentReconcile(attaching: Attaching): Reconcile {
	const { attachments, driver, forced } = attaching;
	const finalizer = attacherFinalizer(driver.name);
	return async (key, signal) => {
		const attachment = attachments.get(key);
		if (attachment === undefined || attachment.spec.attacher !== driver.name) return;
		const force = forced.delete(key);
		if (attachment.metadata.deletionTimestamp === undefined) {
			if (!force && attachment.status?.attached === true) return;
			await attempt(attaching, key, 'attachError', 'failed to attach', () => attach(attaching, attachment, finalizer, signal), signal);
		} else if (force || hasFinalizer(attachment, finalizer))
			await attempt(attaching, key, 'detachError', 'failed to detach', () => detach(attaching, attachment, finalizer, signal), signal);
	};
}

async function attempt(
	attaching: Attaching,
	key: Key,
	field: 'attachError' | 'detachError',
	what: string,
	work: () => Promise<void>,
	signal: AbortSignal,
): Promise<void> {
	try {
		await work();
	} catch (cause) {
		signal.throwIfAborted();
		await saveError(attaching, key, field, cause, signal);
		throw new AppError(codeOf(cause), `${what}: ${messageOf(cause)}`, { cause });
	}
}

async function attach(attaching: Attaching, attachment: VolumeAttachment, finalizer: string, signal: AbortSignal): Promise<void> {
	const { client, driver, defaultFsType, volumes } = attaching;
	const { volume, spec, csi } = attachedBy(attachment, volumes);
	// As much as possible before the finalizer: it would keep the attachment.
	if (volume?.metadata.deletionTimestamp !== undefined)
		throw new AppError('FailedPrecondition', `PersistentVolume "${volume.metadata.name}" is marked for deletion`);
	if (volume !== undefined)
		try {
			await addFinalizer(client, PERSISTENT_VOLUMES, volume, finalizer, signal);
		} catch (cause) {
			throw new AppError(codeOf(cause), `could not add PersistentVolume finalizer: ${messageOf(cause)}`, { cause });
		}
	const volumeCapability = capabilityOfVolume(spec, driver.controllerRpcs.has(Rpc.SINGLE_NODE_MULTI_WRITER), defaultFsType);
	const secrets = await credentials(client, csi.controllerPublishSecretRef, signal);
	const nodeId = nodeIdOf(attaching, attachment, false);
	await claimAttachment(attaching, attachment, finalizer, nodeId, signal);
	const request = {
		...{ volumeId: csi.volumeHandle, nodeId, volumeCapability, secrets },
		readonly: csi.readOnly === true && driver.controllerRpcs.has(Rpc.PUBLISH_READONLY),
		volumeContext: csi.volumeAttributes ?? {},
	};
	const { publishContext } = await driver.controller.controllerPublishVolume(request, { timeoutMs: driver.timeoutMs, signal });
	await markAttached(attaching, attachment.metadata.name ?? '', publishContext, signal);
}

/** Says, before anything is attached, that it must be detached and from where. */
async function claimAttachment(
	{ client }: Attaching,
	{ metadata }: VolumeAttachment,
	finalizer: string,
	nodeId: string,
	signal: AbortSignal,
): Promise<void> {
	const { finalizers = [], annotations = {}, name = '', resourceVersion } = metadata;
	const has = finalizers.includes(finalizer);
	if (has && annotations[NODE_ID_ANNOTATION] === nodeId) return;
	const changed = {
		...(has ? {} : { finalizers: [...finalizers, finalizer], resourceVersion }),
		...(annotations[NODE_ID_ANNOTATION] === nodeId ? {} : { annotations: { [NODE_ID_ANNOTATION]: nodeId } }),
	};
	try {
		await client.patch(VOLUME_ATTACHMENTS, name, { type: 'merge', body: { metadata: changed } }, { signal });
	} catch (cause) {
		throw new AppError(codeOf(cause), `could not save VolumeAttachment: ${messageOf(cause)}`, { cause });
	}
}

async function detach(attaching: Attaching, attachment: VolumeAttachment, finalizer: string, signal: AbortSignal): Promise<void> {
	const { client, driver, volumes } = attaching;
	const { csi } = attachedBy(attachment, volumes);
	const secrets = await credentials(client, csi.controllerPublishSecretRef, signal);
	const nodeId = nodeIdOf(attaching, attachment, true);
	const call = { timeoutMs: driver.timeoutMs, signal };
	await driver.controller.controllerUnpublishVolume({ volumeId: csi.volumeHandle, nodeId, secrets }, call);
	await markDetached(attaching, attachment, finalizer, signal);
}

/** From the CSINode; where it is gone, as it was when the volume was attached. */
export function nodeIdOf({ csiNodes, driver }: Attaching, { spec, metadata }: VolumeAttachment, remembered: boolean): string {
	const csiNode = csiNodes.get(spec.nodeName);
	const found = driverOn(csiNode, driver.name)?.nodeID ?? (remembered ? metadata.annotations?.[NODE_ID_ANNOTATION] : undefined);
	if (found !== undefined) return found;
	throw new AppError(
		'NotFound',
		csiNode === undefined
			? `csinode.storage.k8s.io "${spec.nodeName}" not found`
			: `CSINode ${spec.nodeName} does not contain driver ${driver.name}`,
	);
}
