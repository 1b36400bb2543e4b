/**
 * Volumes that a pod describes in its own words (CSI's ephemeral mode): made at the first NodePublish, staged inside their own folder, and gone with
 * NodeUnpublish. They outlive the driver and the host, as their pods do.
 */
import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { chooseData } from '../backends/choose.ts';
import type { Capability } from '../capability.ts';
import { backendOf, type Context } from '../context.ts';
import { isId } from '../ids.ts';
import { readInline } from '../parameters.ts';
import type { NodePublishVolumeRequest } from '../proto.ts';
import type { VolumeRecord } from '../records/records.ts';
import { noSteps } from '../steps.ts';
import { undo } from '../undo.ts';
import { stageAt, unstageAt } from './stage.ts';

/** How a kubelet says it (with the driver's podInfoOnMount). */
const EPHEMERAL = 'csi.storage.k8s.io/ephemeral';

export function isInline({ volumeId, volumeContext }: NodePublishVolumeRequest): boolean {
	if (volumeContext[EPHEMERAL] !== 'true') return false;
	if (isId('vol', volumeId)) throw new AppError('InvalidArgument', `Volume "${volumeId}" is one of the pool, not a pod's own`);
	return true;
}

/** Publishes the volume once it is there and staged. Under its lock. A failure leaves nothing that was not there before, and takes nothing that was. */
export async function withInline(
	context: Context,
	id: string,
	request: NodePublishVolumeRequest,
	capability: Capability,
	publish: (stagingPath: string) => Promise<void>,
): Promise<void> {
	const path = join(context.inline.dir(id), 'staging');
	const kept = await context.inline.read(id);
	try {
		const volume = kept ?? (await make(context, id, request, capability));
		await stageAt(context, volume, capability, path);
		await publish(path);
	} catch (error) {
		const silent = { ...context, steps: noSteps };
		await undo(context, `publishing "${request.volumeId}"`, async () => {
			if (kept === undefined) await dropInline(silent, id);
			else await unstageUnused(silent, id);
		});
		throw error;
	}
}

async function make(
	context: Context,
	id: string,
	{ volumeId: name, volumeContext: parameters }: NodePublishVolumeRequest,
	{ access }: Capability,
): Promise<VolumeRecord> {
	if (access.kind === 'block') throw new AppError('InvalidArgument', 'A volume of a pod itself has a file system: it is no block device');
	const { backend: asked, sizeBytes } = readInline(parameters);
	const range = { requiredBytes: BigInt(sizeBytes), limitBytes: 0n };
	const facts = chooseData(context, { backend: asked, access: 'mount', fsType: access.fsType, range });
	const backend = backendOf(context, facts);
	using _room = backend.enforcesSize ? await context.space.reserve(facts.sizeBytes) : undefined;
	const createdAtMs = context.clock.now();
	const volume: VolumeRecord = { ...facts, id, name, createdAtMs, parameters, mutableParameters: {}, publications: [] };
	const filling = { fill: (dir: string) => backend.make(dir, facts), again: backend.makesAgain(facts) };
	await context.inline.create(volume, filling, { step: (what) => context.steps.done(`NodePublishVolume: ${what}`) });
	return volume;
}

/** Removes the volume unless it is published. Not there is success. */
export async function dropInline(context: Context, id: string): Promise<void> {
	if (await unstageUnused(context, id))
		await context.inline.remove(id, { step: (what) => context.steps.done(`NodeUnpublishVolume: ${what}`) });
}

/** Whether nobody uses it, so that it is staged no more. */
async function unstageUnused(context: Context, id: string): Promise<boolean> {
	const known = context.nodes.get(context.options.nodeId, id);
	if (known.targets.length > 0) return false;
	await unstageAt(context, known);
	return true;
}
