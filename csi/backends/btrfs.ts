/** Volumes as btrfs subvolumes of a pool on btrfs: sizes by qgroup limits, copies as snapshots of the file system's own. */
import { chmod, lstat, rm } from 'node:fs/promises';
import { runCommand } from '../../host/command.ts';
import { fsType } from '../../host/filesystem.ts';
import type { DataFacts } from '../records/records.ts';
import { DirectoryBackend, filesIn } from './directory.ts';

/** The root of every subvolume has this inode. */
const SUBVOLUME_INODE = 256;

export class BtrfsBackend extends DirectoryBackend {
	override readonly kind = 'btrfs';
	override readonly enforcesSize = true;

	override makesAgain(): boolean {
		return false;
	}
	override async make(dir: string, facts: DataFacts): Promise<void> {
		await runCommand('btrfs', ['subvolume', 'create', filesIn(dir)]);
		await chmod(filesIn(dir), 0o777);
		await this.grow(dir, facts);
	}

	override async copy(from: string, to: string, facts: DataFacts): Promise<void> {
		await runCommand('btrfs', ['subvolume', 'snapshot', filesIn(from), filesIn(to)]);
		await this.grow(to, facts);
	}

	/** The limit is on what the subvolume refers to, shared blocks included. */
	override async grow(dir: string, { sizeBytes }: DataFacts): Promise<void> {
		await runCommand('btrfs', ['qgroup', 'limit', String(sizeBytes), filesIn(dir)]);
	}

	override allocatedBytes(): number {
		return 0;
	}
}

/** Removes the subvolume where there is one; nothing else. */
export async function removeSubvolume(dir: string): Promise<void> {
	const files = filesIn(dir);
	const found = await lstat(files).catch(() => undefined);
	if (found === undefined || Number(found.ino) !== SUBVOLUME_INODE || (await fsType(dir)) !== 'btrfs') return;
	await runCommand('btrfs', ['subvolume', 'delete', files]);
	await rm(files, { recursive: true, force: true });
}

/** Quotas count from now on; on already is success. */
export async function enableQuotas(pool: string): Promise<void> {
	await runCommand('btrfs', ['quota', 'enable', pool]);
}
