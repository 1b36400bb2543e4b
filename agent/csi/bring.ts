/** A CSI volume brought to a pod, whole: what it gives is where the pod's containers find it. */
import type { Pod } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import { mountAt, readMounts } from '../../host/mounts.ts';
import { podEvent, type AgentContext } from '../context.ts';
import { step } from '../volume/failure.ts';
import { setOwnership } from '../volume/ownership.ts';
import { mapDevice } from './block.ts';
import { can } from './drivers.ts';
import { published } from './found.ts';
import { blockPaths, type BlockPaths } from './names.ts';
import { prepare, publish, publishPath, stage, turnOf, type Bringing } from './mount.ts';
import type { CsiSource } from './source.ts';

export interface Brought {
	readonly path: string;
	readonly bringing: Bringing;
}

/** @param volume as the pod names it */
export async function bring(pod: Pod, volume: string, source: CsiSource, context: AgentContext, signal: AbortSignal): Promise<Brought> {
	const group = pod.spec?.securityContext?.fsGroup;
	const object = await context.csi.object(source.driver, signal);
	const accessModes = source.lifecycle === 'Persistent' ? source.accessModes : undefined;
	const labels = context.csi.labels.admit({ pod, volume, accessModes, csi: { source, object } }, context.figures.labels);
	const flags = [...source.mountOptions, ...labels];
	const bringing = await prepare(pod, source, flags, group, context, signal);
	const name = source.specName;
	const path = await context.csi.turns.run(turnOf(source), async () => {
		signal.throwIfAborted();
		if (source.block) return step('MapVolume.SetUp', name, 'FailedMapVolume', signal, () => mapDevice(bringing, context, signal));
		await step('MountVolume.SetUp', name, 'FailedMount', signal, () => checkSoleUser(pod, source, context));
		await step('MountVolume.MountDevice', name, 'FailedMount', signal, () => stage(bringing, context, signal));
		return step('MountVolume.SetUp', name, 'FailedMount', signal, async () => {
			const target = await publish(bringing, context, signal);
			if (group !== undefined && ownedByAgent(bringing)) await own(pod, target, group, context, signal);
			return target;
		});
	});
	return { path, bringing };
}

/** Where the driver has it, once it is published. */
export function publishedPath(pod: Pod, source: CsiSource, context: AgentContext): string {
	return source.block ? blocksOf(pod, source, context).publish : publishPath(pod, source, context);
}

export function blocksOf(pod: Pod, { specName }: CsiSource, { options }: AgentContext): BlockPaths {
	return blockPaths(options.rootDir, pod.metadata.uid ?? '', specName);
}

/** Where it is mounted already, by this or an earlier life of the agent; undefined where it is not. */
export async function mountedPath(pod: Pod, source: CsiSource, context: AgentContext): Promise<string | undefined> {
	const path = publishedPath(pod, source, context);
	return context.csi.done.has(path) || mountAt(await readMounts(), path) !== undefined ? path : undefined;
}

async function checkSoleUser(pod: Pod, { accessModes, driver, handle }: CsiSource, context: AgentContext): Promise<void> {
	if (!accessModes.includes('ReadWriteOncePod')) return;
	const others = (await published(context.options.rootDir)).filter(
		({ podUid, data }) => podUid !== pod.metadata.uid && data.driverName === driver && data.volumeHandle === handle,
	);
	if (others.length > 0)
		throw new AppError('FailedPrecondition', 'volume uses the ReadWriteOncePod access mode and is already in use by another pod');
}

/** As the CSIDriver's fsGroupPolicy has it, for a driver that does not do it itself. Pure. */
export function ownedByAgent({ source, object, driver }: Pick<Bringing, 'source' | 'object' | 'driver'>): boolean {
	if (source.readOnly || can(driver, 'VOLUME_MOUNT_GROUP')) return false;
	switch (object?.spec.fsGroupPolicy ?? 'ReadWriteOnceWithFSType') {
		case 'None':
			return false;
		case 'File':
			return true;
		default:
			return source.fsType !== '' && source.accessModes.some((m) => m === 'ReadWriteOnce' || m === 'ReadWriteOncePod');
	}
}

function own(pod: Pod, path: string, group: number, context: AgentContext, signal: AbortSignal): Promise<void> {
	const onMismatch = pod.spec?.securityContext?.fsGroupChangePolicy === 'OnRootMismatch';
	const tell = (message: string): void => podEvent(context, pod, 'Warning', 'VolumePermissionChangeInProgress', message);
	return setOwnership({ path, group, readOnly: false, onMismatch, clock: context.clock, tell }, signal);
}
