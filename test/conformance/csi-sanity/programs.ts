/** mkfs.xfs, xfs_growfs and btrfs from Debian's packages, unpacked into `.cache/tools` and put on PATH where the machine has none installed. */
import { delimiter, join } from 'node:path';
import { run } from '../../tools/command.ts';
import { debianPackages } from '../../tools/debian-packages.ts';

/** With the libraries that the two need beyond a minimal system. */
const PACKAGES = ['xfsprogs', 'btrfs-progs', 'libinih1', 'liburcu8', 'libedit2', 'liblzo2-2'];

/** Whether the machine can make both file systems now. Changes PATH and LD_LIBRARY_PATH of this process. */
export async function fileSystemPrograms(): Promise<boolean> {
	if (await canRun()) return true;
	const path = await debianPackages('csi-filesystem-programs', PACKAGES).catch(() => undefined);
	if (path === undefined) return false;
	const triplet = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;
	const libraries = ['usr/lib', 'lib'].map((dir) => join(path, dir, triplet));
	process.env['PATH'] = [process.env['PATH'], ...['sbin', 'usr/sbin', 'bin', 'usr/bin'].map((dir) => join(path, dir))].join(delimiter);
	process.env['LD_LIBRARY_PATH'] = libraries.join(delimiter);
	return canRun();
}

async function canRun(): Promise<boolean> {
	return (await run('sh', ['-c', 'mkfs.xfs -V && mkfs.btrfs --version && btrfs --version'])).code === 0;
}
