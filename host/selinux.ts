/** SELinux of this host: whether it is on, and the labels of files. */
import { existsSync } from 'node:fs';
import { runCommand } from './command.ts';

/** Its file system is mounted where the kernel has it on. */
export function hasSelinux(): boolean {
	return existsSync('/sys/fs/selinux/enforce');
}

/** Gives the label to a folder and all that is in it; links have it themselves and are not followed. */
export async function relabelTree(path: string, label: string): Promise<void> {
	await runCommand('chcon', ['--recursive', '--no-dereference', '--', label, path]);
}
