/** Pools for the suite: a folder of this machine for images and plain folders, and a btrfs of its own, in an image, for subvolumes. */
import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { must, run } from '../../tools/command.ts';
import { sharedFolder } from '../../tools/shared-folder.ts';

export interface Place extends AsyncDisposable {
	/** For reports, sockets and mounts. */
	readonly dir: string;
	readonly pool: string;
}

const BTRFS_BYTES = 8 * 1024 ** 3;

/** Loads the module where that helps. */
export async function kernelHasBtrfs(): Promise<boolean> {
	const listed = async (): Promise<boolean> => /\bbtrfs$/m.test(await readFile('/proc/filesystems', 'utf8'));
	if (await listed()) return true;
	await run('modprobe', ['btrfs']).catch(() => undefined);
	return listed();
}

export async function makePlace(btrfs: boolean): Promise<Place> {
	const folder = await sharedFolder('kubeling-csi-');
	const { dir } = folder;
	const pool = join(dir, 'pool');
	await mkdir(pool);
	if (btrfs) {
		const image = join(dir, 'pool.img');
		await writeFile(image, '');
		await truncate(image, BTRFS_BYTES);
		await must('mkfs.btrfs', ['-q', image]);
		await must('mount', ['-o', 'loop', image, pool]);
	}
	return {
		dir,
		pool,
		[Symbol.asyncDispose]: async () => {
			if (btrfs) await must('umount', [pool]);
			await folder[Symbol.asyncDispose]();
		},
	};
}
