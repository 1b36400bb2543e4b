/** The start of a driver after a crash or a reboot: what nobody was told of goes, what was interrupted is put right. Everything here can be repeated. */
import { basename, dirname } from 'node:path';
import { messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { detachLoop, loopDevices } from '../host/loop.ts';
import { readMounts } from '../host/mounts.ts';
import { holdMounted, thaw, type MountPoint } from '../host/freeze.ts';
import { imageIn } from './backends/loop.ts';
import type { Context } from './context.ts';
import { removeMembers } from './group/group-handlers.ts';
import type { Unusable } from './records/record-folders.ts';

/** Of the controller: file systems left frozen, records, half-made folders, members of groups that never were. */
export async function recoverController(context: Context): Promise<void> {
	const { volumes, snapshots, groups, erasure, locks, log } = context;
	await thawAll(context); // first: writers wait for it, and what follows may take long, or fail
	const left = (await Promise.all([volumes.load(), snapshots.load(), groups.load()])).flat();
	tell(
		log,
		left.filter(({ dir }) => !erasure.waits(dir)),
	);
	const orphans = new Set(
		snapshots.all().flatMap(({ groupId }) => (groupId === undefined || groups.get(groupId) !== undefined ? [] : [groupId])),
	);
	for (const groupId of orphans)
		await removeMembers(context, groupId).catch((error: unknown) =>
			log.warn('cannot remove the members of a group snapshot that never was', { group: groupId, error: messageOf(error) }),
		);
	erasure.startIsOver(locks);
	log.info('records read', { volumes: volumes.all().length, snapshots: snapshots.all().length, groups: groups.all().length });
}

/** A snapshot or a clone that a crash interrupted may have left its source frozen: no writer would ever wake. Asks no record. */
async function thawAll({ volumes, log }: Context): Promise<void> {
	const root = dirname(volumes.dir('any'));
	const devices = new Set((await loopDevices()).filter((d) => isImageBelow(root, d.backingFile)).map((d) => d.device));
	const points = new Map((await readMounts()).filter((m) => devices.has(m.device)).map((m) => [m.device, m]));
	for (const point of points.values())
		await thawAt(point).catch((error: unknown) => log.warn('cannot thaw a volume', { path: point.path, error: messageOf(error) }));
}

async function thawAt(point: MountPoint): Promise<void> {
	await using mounted = await holdMounted(point);
	await thaw(mounted);
}

function isImageBelow(root: string, file: string): boolean {
	const dir = dirname(file);
	return dirname(dir) === root && file === imageIn(dir);
}

/** Of the node: its inline volumes, and loop devices of this pool that no record and no mount has. */
export async function recoverNode({ volumes, inline, nodes, log }: Context): Promise<void> {
	tell(log, await inline.load());
	const mounted = new Set((await readMounts()).map((m) => m.device));
	const roots = [volumes, inline].map((folders) => dirname(folders.dir('any')));
	for (const { path, device, backingFile } of await loopDevices()) {
		const dir = dirname(backingFile);
		if (!roots.includes(dirname(dir)) || mounted.has(device)) continue;
		const id = basename(dir);
		if (nodes.usersOf(id).length > 0) continue;
		log.warn('freeing a loop device that nobody has', { device: path, volume: id });
		await detachLoop({ path, backingFile }).catch((error: unknown) =>
			log.warn('cannot free it', { device: path, error: messageOf(error) }),
		);
	}
}

function tell(log: Log, left: readonly Unusable[]): void {
	for (const unusable of left) log.warn('a folder of the pool is left as it is', { ...unusable });
}
