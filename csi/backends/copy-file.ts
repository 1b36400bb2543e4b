/** Copies of images and trees that share blocks where the pool can, and keep their holes where it cannot. */
import { runCommand } from '../../host/command.ts';
import { cloneFile } from '../pool/reflink.ts';

/** `shares`: of this pool blocks are shared, or there is no copy; room is kept for that alone. */
export async function copyImage(from: string, to: string, shares: boolean): Promise<void> {
	if (shares) await cloneFile(from, to);
	else await runCommand('cp', ['--reflink=never', '--sparse=always', '--', from, to]);
}

/** Owners, modes, times, links and extended attributes included. The folder `to` must not exist. */
export async function copyTree(from: string, to: string): Promise<void> {
	await runCommand('cp', ['--archive', '--reflink=auto', '--no-target-directory', '--', from, to]);
	await runCommand('sync', ['--file-system', to]);
}
