/** What a VolumeAttachment is about, and how it is told that it is done: patches as external-attacher sends them. */
import type { PersistentVolume, PersistentVolumeSpec, CSIPersistentVolumeSource, VolumeAttachment } from '../../../api/gen/types.ts';
import { VOLUME_ATTACHMENTS } from '../../../api/resources.ts';
import { timeOf } from '../../../api/time.ts';
import { AppError, ignore, messageOf } from '../../../base/errors.ts';
import type { Lister } from '../../../client/cache.ts';
import { RpcError } from '../../../wire/grpc/status.ts';
import { sanitized } from '../names.ts';
import type { RoleDeps } from '../role.ts';

export const NODE_ID_ANNOTATION = 'csi.alpha.kubernetes.io/node-id';

/** "external-attacher/local-csi-kubeling-dev". */
export function attacherFinalizer(driver: string): string {
	return `external-attacher/${sanitized(driver)}`;
}

export interface Attached {
	/** Absent for an inline volume. */
	readonly volume?: PersistentVolume;
	readonly spec: PersistentVolumeSpec;
	readonly csi: CSIPersistentVolumeSource;
}

const refused = (message: string): AppError => new AppError('FailedPrecondition', message);

export function attachedBy(attachment: VolumeAttachment, volumes: Lister<PersistentVolume>): Attached {
	const { persistentVolumeName: name, inlineVolumeSpec: inline } = attachment.spec.source;
	if (name === undefined) {
		if (inline === undefined) throw refused('neither InlineCSIVolumeSource nor PersistentVolumeName specified in VA source');
		if (inline.csi === undefined) throw refused('inline volume spec contains nil CSI source');
		return { spec: inline, csi: inline.csi };
	}
	if (inline !== undefined) throw refused('both InlineCSIVolumeSource and PersistentVolumeName specified in VA source');
	const volume = volumes.get(name);
	if (volume === undefined) throw new AppError('NotFound', `persistentvolume "${name}" not found`);
	const csi = volume.spec?.csi;
	if (volume.spec === undefined || csi === undefined) throw refused('pv spec contained non-csi source that was not migrated');
	return { volume, spec: volume.spec, csi };
}

export async function markAttached(
	{ client }: RoleDeps,
	name: string,
	attachmentMetadata: Readonly<Record<string, string>>,
	signal: AbortSignal,
): Promise<void> {
	const metadata = Object.keys(attachmentMetadata).length === 0 ? null : attachmentMetadata;
	const body = { status: { attached: true, attachmentMetadata: metadata, attachError: null } };
	await client.patch(VOLUME_ATTACHMENTS, name, { type: 'merge', body }, { signal, subresource: 'status' });
}

/** The finalizer goes first: one that is deleted and has none counts as detached, whatever its status says. */
export async function markDetached(
	{ client }: RoleDeps,
	attachment: VolumeAttachment,
	finalizer: string,
	signal: AbortSignal,
): Promise<void> {
	const name = attachment.metadata.name ?? '';
	const finalizers = (attachment.metadata.finalizers ?? []).filter((f) => f !== finalizer);
	if (finalizers.length !== (attachment.metadata.finalizers ?? []).length) {
		const body = {
			metadata: { finalizers: finalizers.length === 0 ? null : finalizers, resourceVersion: attachment.metadata.resourceVersion },
		};
		if ((await client.patch(VOLUME_ATTACHMENTS, name, { type: 'merge', body }, { signal }).catch(ignore('NotFound'))) === undefined) return;
	}
	const body = { status: { attached: false, detachError: null, attachmentMetadata: null } };
	await client.patch(VOLUME_ATTACHMENTS, name, { type: 'merge', body }, { signal, subresource: 'status' }).catch(ignore('NotFound'));
}

/** Best effort: what matters is the error itself. */
export async function saveError(
	{ client, clock, log }: RoleDeps,
	name: string,
	field: 'attachError' | 'detachError',
	error: unknown,
	signal: AbortSignal,
): Promise<void> {
	const code = field === 'attachError' && error instanceof RpcError ? { errorCode: error.number } : {};
	const body = { status: { [field]: { message: messageOf(error), time: timeOf(clock.now()), ...code } } };
	try {
		await client.patch(VOLUME_ATTACHMENTS, name, { type: 'merge', body }, { signal, subresource: 'status' });
	} catch (failure) {
		signal.throwIfAborted();
		log.warn('an attachment is not told its error', { attachment: name, reason: messageOf(failure) });
	}
}
