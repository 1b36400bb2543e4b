/** Whether a folder's file system lets files share blocks: tried, since XFS has it or not as it was made. */
import { constants, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The copy shares all blocks with the original; throws where it cannot, or is there. */
export function cloneFile(from: string, to: string): Promise<void> {
	return copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE);
}

export async function sharesBlocks(folder: string): Promise<boolean> {
	const dir = await mkdtemp(join(folder, '.probe-'));
	try {
		await writeFile(join(dir, 'a'), Buffer.alloc(4096, 1));
		return await cloneFile(join(dir, 'a'), join(dir, 'b')).then(
			() => true,
			() => false,
		);
	} finally {
		await rm(dir, { recursive: true, force: true });
	}
}
