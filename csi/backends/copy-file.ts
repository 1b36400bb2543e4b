/** Copies of images and trees that share blocks where the pool can, and keep their holes where it cannot. */
import { runCommand } from '../../host/command.ts';

export async function copyImage(from: string, to: string): Promise<void> {
	await runCommand('cp', ['--reflink=auto', '--sparse=always', '--', from, to]);
}

/** Owners, modes, times, links and extended attributes included. The folder `to` must not exist. */
export async function copyTree(from: string, to: string): Promise<void> {
	await runCommand('cp', ['--archive', '--reflink=auto', '--no-target-directory', '--', from, to]);
	await runCommand('sync', ['--file-system', to]);
}
