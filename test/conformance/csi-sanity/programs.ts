/** mkfs.xfs, xfs_growfs and btrfs from Debian's packages, unpacked into `.cache/tools` and put on PATH where the machine has none installed. */
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { must, run } from '../../tools/command.ts';
import { CACHE, exists } from '../critest/tools.ts';

/** With the libraries that the two need beyond a minimal system. */
const PACKAGES = ['xfsprogs', 'btrfs-progs', 'libinih1', 'liburcu8', 'libedit2', 'liblzo2-2'];

/** Whether the machine can make both file systems now. Changes PATH and LD_LIBRARY_PATH of this process. */
export async function fileSystemPrograms(): Promise<boolean> {
	if (await canRun()) return true;
	const path = join(CACHE, 'csi-filesystem-programs');
	if (!(await exists(path)) && !(await unpack(path).catch(() => false))) return false;
	const triplet = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;
	const libraries = ['usr/lib', 'lib'].map((dir) => join(path, dir, triplet));
	process.env['PATH'] = [process.env['PATH'], ...['sbin', 'usr/sbin', 'bin', 'usr/bin'].map((dir) => join(path, dir))].join(delimiter);
	process.env['LD_LIBRARY_PATH'] = libraries.join(delimiter);
	return canRun();
}

async function canRun(): Promise<boolean> {
	return (await run('sh', ['-c', 'mkfs.xfs -V && mkfs.btrfs --version && btrfs --version'])).code === 0;
}

async function unpack(path: string): Promise<true> {
	const unfinished = `${path}.${process.pid}`;
	await mkdir(unfinished, { recursive: true });
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-deb-'));
	try {
		const download = (): Promise<string> => must('apt-get', ['download', '-q', ...PACKAGES], { cwd: dir, timeoutMs: 300_000 });
		await download().catch(async () => {
			await must('apt-get', ['update', '-qq'], { timeoutMs: 300_000 });
			await download();
		});
		for (const file of await readdir(dir)) await must('dpkg-deb', ['-x', join(dir, file), unfinished]);
		await rename(unfinished, path);
	} finally {
		await rm(dir, { recursive: true, force: true });
		await rm(unfinished, { recursive: true, force: true });
	}
	return true;
}
