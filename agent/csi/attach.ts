/** Waits until a volume is attached to this node: the attach-detach controller says so in the Node's status, and the driver in the VolumeAttachment. */
import type { CSIDriver, VolumeAttachment } from '../../api/gen/types.ts';
import { VOLUME_ATTACHMENTS } from '../../api/resources.ts';
import { AppError } from '../../base/errors.ts';
import type { AgentContext } from '../context.ts';
import { isNotFound } from '../volume/objects.ts';
import { attachmentName, uniqueName } from './names.ts';
import type { CsiSource } from './source.ts';

/** Between requests for the VolumeAttachment, which a kubelet may not watch: the shortest and the longest. */
const REQUEST_MS = 25;
const MAX_REQUEST_MS = 2000;

/** Without a CSIDriver object upstream attaches. */
export function needsAttachment(source: CsiSource, object: CSIDriver | undefined): boolean {
	return source.lifecycle === 'Persistent' && object?.spec.attachRequired !== false;
}

/** What the driver's controller gave for the node, as NodeStage and NodePublish are told. */
export async function attached(
	{ driver, handle }: CsiSource,
	podUid: string,
	context: AgentContext,
	signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
	const { client, clock, csi, nodeChanged, options } = context;
	const name = uniqueName(driver, handle);
	csi.use(name, podUid);
	const holds = (): boolean => {
		const status = context.node()?.status;
		// Detached is only what the node does not say it uses.
		return status?.volumesInUse?.includes(name) === true && status.volumesAttached?.some((v) => v.name === name) === true;
	};
	await nodeChanged.until(holds, signal);
	const key = attachmentName(handle, driver, options.nodeName);
	for (let waitMs = REQUEST_MS; ; waitMs = Math.min(MAX_REQUEST_MS, waitMs * 2)) {
		const attachment = await client.get(VOLUME_ATTACHMENTS, key, { signal }).catch((error: unknown) => {
			if (isNotFound(error)) return undefined;
			throw error;
		});
		const metadata = metadataOf(attachment, handle);
		if (metadata !== undefined) return metadata;
		await clock.sleep(waitMs, signal);
	}
}

/** Undefined while it is not attached. */
function metadataOf(attachment: VolumeAttachment | undefined, handle: string): Readonly<Record<string, string>> | undefined {
	if (attachment?.metadata.deletionTimestamp !== undefined)
		throw new AppError('FailedPrecondition', `volume ${handle} has its VolumeAttachment ${attachment.metadata.name ?? ''} being deleted`);
	if (attachment?.status?.attached === true) return attachment.status.attachmentMetadata ?? {};
	const error = attachment?.status?.attachError?.message;
	if (error !== undefined) throw new AppError('FailedPrecondition', error);
	return undefined;
}
