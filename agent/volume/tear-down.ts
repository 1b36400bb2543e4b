/** The volumes of a pod taken down, and all that it had on disk with them. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { mountCommands } from '../../host/mounter.ts';
import { readMounts } from '../../host/mounts.ts';
import type { AgentContext } from '../context.ts';
import { unpublishAll } from '../csi/unmount.ts';
import { podFolder } from '../pod/folders.ts';

/** Sub-paths first, since they hold their volumes; then what drivers published; then the rest. Nothing is removed through a mount. */
export async function tearDownVolumes(uid: string, context: AgentContext): Promise<void> {
	const { clock, figures } = context;
	const from = clock.monotonic();
	let succeeded = false;
	try {
		await takeDown(uid, context);
		succeeded = true;
	} finally {
		figures.volumes.unmounted(uid, succeeded, (clock.monotonic() - from) / 1000);
	}
}

async function takeDown(uid: string, context: AgentContext): Promise<void> {
	const folder = podFolder(context.options.rootDir, uid);
	await unmountBelow(join(folder, 'volume-subpaths'), context);
	await unpublishAll(uid, context);
	await unmountBelow(folder, context);
	const left = (await readMounts()).filter((m) => m.path.startsWith(join(folder, '/')));
	if (left.length > 0) throw new AppError('FailedPrecondition', `still mounted: ${left.map((m) => m.path).join(', ')}`);
	await rm(folder, { recursive: true, force: true });
	context.users.release(uid);
	context.tokens.forget(uid);
	context.followed.forget(uid);
	context.csi.release(uid);
}

/** What is in memory goes by the mounter, without a command; other file systems may have commands of their own that end them. */
async function unmountBelow(folder: string, { mounter = mountCommands }: AgentContext): Promise<void> {
	const below = (await readMounts()).filter((m) => m.path.startsWith(join(folder, '/')));
	for (const { path, type } of below.toReversed()) await (type === 'tmpfs' ? mounter : mountCommands).unmount(path);
}
