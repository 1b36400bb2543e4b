/** CSI volumes taken from a pod, and from the node with their last pod. What is to be done is read from the disk, so that any life of the agent can do it. */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unmount } from '../../host/mounts.ts';
import type { AgentContext } from '../context.ts';
import { CALL_MS, can } from './drivers.ts';
import { published, publishedTo, staged, type FoundVolume, type StagedVolume } from './found.ts';
import { removeEmpty } from './remove-empty.ts';
import { removeVolumeFolder } from './volume-data.ts';
import { blockPaths, GLOBAL_MOUNT, publishFolder, uniqueName } from './names.ts';

/** Everything that CSI drivers have published to the pod. Throws when one cannot be undone: it is tried again. */
export async function unpublishAll(podUid: string, context: AgentContext): Promise<void> {
	for (const volume of await publishedTo(context.options.rootDir, podUid)) {
		const { driverName, volumeHandle } = volume.data;
		if (!context.csi.drivers.has(driverName)) context.csi.awaitDriver(driverName, podUid);
		await context.csi.turns.run(uniqueName(driverName, volumeHandle), async () => {
			await unpublish(volume, context);
			await unstageUnused(driverName, volumeHandle, context);
		});
	}
}

async function unpublish({ podUid, specName, data, block }: FoundVolume, context: AgentContext): Promise<void> {
	const { rootDir } = context.options;
	const driver = context.csi.drivers.get(data.driverName);
	const paths = blockPaths(rootDir, podUid, specName);
	const path = block ? paths.publish : join(publishFolder(rootDir, podUid, specName), 'mount');
	if (block) {
		await rm(paths.podLink, { force: true });
		await unmount(paths.map);
		await rm(paths.map, { force: true });
	}
	await driver.node.nodeUnpublishVolume({ volumeId: data.volumeHandle, targetPath: path }, { timeoutMs: CALL_MS });
	context.csi.done.delete(path);
	await unmount(path);
	await removeEmpty(path);
	if (!block) await removeVolumeFolder(dirname(path));
}

/** After its last pod on this node. */
async function unstageUnused(driverName: string, handle: string, context: AgentContext): Promise<void> {
	const { rootDir } = context.options;
	const same = (d: { readonly driverName: string; readonly volumeHandle: string }): boolean =>
		d.driverName === driverName && d.volumeHandle === handle;
	if ((await published(rootDir)).some((v) => same(v.data))) return;
	for (const volume of (await staged(rootDir)).filter((v) => same(v.data))) await unstage(volume, context);
}

async function unstage({ folder, data, specName }: StagedVolume, context: AgentContext): Promise<void> {
	const { rootDir } = context.options;
	const driver = context.csi.drivers.get(data.driverName);
	const path = specName === undefined ? join(folder, GLOBAL_MOUNT) : folder;
	if (can(driver, 'STAGE_UNSTAGE_VOLUME')) {
		const request = { volumeId: data.volumeHandle, stagingTargetPath: path };
		await driver.node.nodeUnstageVolume(request, { timeoutMs: CALL_MS });
	}
	context.csi.done.delete(path);
	await unmount(path);
	await removeEmpty(path);
	if (specName === undefined) return removeVolumeFolder(folder);
	const paths = blockPaths(rootDir, 'x', specName);
	await removeEmpty(dirname(paths.publish));
	await removeEmpty(dirname(paths.map));
	await removeVolumeFolder(paths.data);
	await removeEmpty(dirname(paths.data));
}

/** Staged volumes that no pod has: an agent ended between unpublish and unstage. */
export async function unstageOrphans(context: AgentContext): Promise<void> {
	for (const { data } of await staged(context.options.rootDir)) {
		const name = uniqueName(data.driverName, data.volumeHandle);
		if (context.csi.isUsed(name) || !context.csi.drivers.has(data.driverName)) continue;
		await context.csi.turns.run(name, () => unstageUnused(data.driverName, data.volumeHandle, context));
	}
}
