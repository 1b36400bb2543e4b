/** Whether a folder's file system lets files share blocks: tried, since XFS has it or not as it was made. */
import { constants, copyFile, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreErrno } from '../../base/errors.ts';

/** The copy shares all blocks with the original; throws where it cannot, or is there. */
export function cloneFile(from: string, to: string): Promise<void> {
	return copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE);
}

/** What the kernel says where files cannot share blocks (FICLONE, ioctl_ficlonerange(2)), and where it knows no such thing. */
const CANNOT: readonly unknown[] = ['EOPNOTSUPP', 'ENOTSUP', 'EXDEV', 'EINVAL', 'ENOTTY', 'ENOSYS'];
const PROBE = '.probe-';
/** Of one that goes on no trial is so old. */
const ABANDONED_MS = 60_000;

/** Undefined where it cannot be told: the file system has no room to try, or fails. Sweeps what earlier trials left that were killed. */
export async function sharesBlocks(folder: string, nowMs: number, clone = cloneFile): Promise<boolean | undefined> {
	await sweep(folder, nowMs);
	let dir: string | undefined;
	try {
		dir = await mkdtemp(join(folder, PROBE));
		await writeFile(join(dir, 'a'), Buffer.alloc(4096, 1));
		return await clone(join(dir, 'a'), join(dir, 'b')).then(
			() => true,
			(error: NodeJS.ErrnoException) => (CANNOT.includes(error.code) ? false : undefined),
		);
	} catch {
		return undefined; // whatever needs the room, or the disk, is told so itself
	} finally {
		if (dir !== undefined) await rm(dir, { recursive: true, force: true });
	}
}

/** Another process may be trying at this moment: its trial is left. */
async function sweep(folder: string, nowMs: number): Promise<void> {
	for (const name of (await readdir(folder)).filter((entry) => entry.startsWith(PROBE))) {
		const path = join(folder, name);
		const found = await stat(path).catch(ignoreErrno('ENOENT'));
		if (found !== undefined && nowMs - found.mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
	}
}
