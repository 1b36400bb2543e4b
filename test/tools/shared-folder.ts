/** Folders for tests that mount below them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMounts, unmount } from '../../host/mounts.ts';
import { must } from './command.ts';
import { eventually } from './eventually.ts';

export interface SharedFolder extends AsyncDisposable {
	readonly dir: string;
}

/**
 * A new folder whose mounts end everywhere at once: every container that starts meanwhile on this host begins with a copy of them, and what is unmounted
 * here stays busy there unless it is shared. A kubelet has its folder so. Disposing of it unmounts what is left.
 */
export async function sharedFolder(prefix: string): Promise<SharedFolder> {
	const dir = await mkdtemp(join(tmpdir(), prefix));
	await must('mount', ['--bind', dir, dir]);
	await must('mount', ['--make-shared', dir]);
	return {
		dir,
		[Symbol.asyncDispose]: async () => {
			await unmountBelow(dir);
			await rm(dir, { recursive: true, force: true, maxRetries: 10 }); // a driver that was given up may still erase what it deleted
		},
	};
}

/** Every mount at the folder or below it, the last one first. One whose last user the kernel has not let go yet is waited for. */
export async function unmountBelow(folder: string): Promise<void> {
	for (const { path } of (await readMounts()).filter((m) => m.path === folder || m.path.startsWith(`${folder}/`)).toReversed())
		await eventually(`"${path}" free to be unmounted`, () =>
			unmount(path).then(
				() => true,
				(error: Error) => {
					if (!error.message.includes('busy')) throw error;
					return false;
				},
			),
		);
}
