/** What this host and the pool's file system can do: looked at once at start, and told. */
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { capabilitiesOf } from '../../host/capabilities.ts';
import { fsType } from '../../host/filesystem.ts';
import { mountCommands, type Mounter } from '../../host/mounter.ts';
import type { Backend } from '../backends/backend.ts';
import { BACKEND_KINDS, type BackendKind } from '../backends/kinds.ts';
import { BtrfsBackend, enableQuotas } from '../backends/btrfs.ts';
import { DirectoryBackend } from '../backends/directory.ts';
import { LoopBackend } from '../backends/loop.ts';
import { FILE_SYSTEMS } from '../filesystems/all.ts';
import type { FsType } from '../capability.ts';
import { sharesBlocks } from './reflink.ts';

export interface Backends {
	/** The default first. */
	readonly available: readonly Backend[];
	/** File systems that images can have, the default first. */
	readonly fileSystems: readonly FsType[];
	/** What folders and subvolumes lie on; undefined where it has no name here. */
	readonly poolFileSystem: string | undefined;
	/** For each back end that is not there, why. */
	readonly missing: Readonly<Partial<Record<BackendKind, string>>>;
	/**
	 * Whether copies of images share blocks with their originals. Undefined where it could not be tried: copies are whole then, and room is kept as if those
	 * from before were shared, which is the larger sum.
	 */
	readonly sharesBlocks: boolean | undefined;
	/** Why what an image holds cannot be overwritten. */
	readonly cannotErase: string | undefined;
}

/** `wanted`: of which kinds, the default first. */
export async function findBackends(
	pool: string,
	clock: Clock,
	wanted: readonly BackendKind[] = BACKEND_KINDS,
	mounter: Mounter = mountCommands,
): Promise<Backends> {
	const capabilities = await capabilitiesOf('self');
	const fileSystems: FsType[] = [];
	for (const fs of Object.values(FILE_SYSTEMS)) if (await commandExists(fs.command)) fileSystems.push(fs.type);
	const reasons: Readonly<Record<BackendKind, () => Promise<string | undefined>>> = {
		loop: () => lacksLoop(capabilities, fileSystems),
		btrfs: () => lacksBtrfs(pool, capabilities),
		directory: async () => lacksMount(capabilities),
	};
	const shares = await sharesBlocks(pool, clock.now());
	const poolFileSystem = await fsType(pool);
	const cannotErase = cannotEraseOn(poolFileSystem);
	const make: Readonly<Record<BackendKind, () => Backend>> = {
		loop: () => new LoopBackend(capabilities, clock, shares === true, mounter),
		btrfs: () => new BtrfsBackend(mounter),
		directory: () => new DirectoryBackend(mounter),
	};
	const available: Backend[] = [];
	const missing: Partial<Record<BackendKind, string>> = {};
	for (const kind of wanted) {
		const reason = await reasons[kind]();
		if (reason === undefined) available.push(make[kind]());
		else missing[kind] = reason;
	}
	return { available, fileSystems, poolFileSystem, missing, sharesBlocks: shares, cannotErase };
}

export function sayBackends({ available, fileSystems, missing, sharesBlocks: shares }: Backends, log: Log): void {
	log.info('back ends', { available: available.map((b) => b.kind), fileSystems, missing, sharesBlocks: shares ?? 'could not be tried' });
	if (available[0]?.enforcesSize === false) log.warn('volumes are plain folders here: their size is not enforced', { missing });
}

const WRITE_ELSEWHERE: readonly unknown[] = ['btrfs', 'zfs', 'bcachefs', 'nilfs2', 'f2fs'];

/** Pure: why overwriting does nothing to what a file of this file system had; undefined where it does. */
export function cannotEraseOn(type: string | undefined): string | undefined {
	return WRITE_ELSEWHERE.includes(type) ? `${type} writes elsewhere what is overwritten` : undefined;
}

function lacksMount(capabilities: readonly string[]): string | undefined {
	return capabilities.includes('SYS_ADMIN') ? undefined : 'mounting needs CAP_SYS_ADMIN';
}

async function lacksLoop(capabilities: readonly string[], fileSystems: readonly FsType[]): Promise<string | undefined> {
	if (lacksMount(capabilities) !== undefined) return lacksMount(capabilities);
	const opens = await access('/dev/loop-control', constants.R_OK | constants.W_OK).then(
		() => true,
		() => false,
	);
	if (!opens) return 'there is no /dev/loop-control (the kernel module "loop" is not loaded)';
	if (!(await commandExists('losetup'))) return 'there is no losetup (package util-linux)';
	return fileSystems.length > 0 ? undefined : 'there is no mkfs.ext4 (package e2fsprogs)';
}

async function lacksBtrfs(pool: string, capabilities: readonly string[]): Promise<string | undefined> {
	if (lacksMount(capabilities) !== undefined) return lacksMount(capabilities);
	if ((await fsType(pool)) !== 'btrfs') return `"${pool}" is not on btrfs`;
	if (!(await commandExists('btrfs'))) return 'there is no btrfs (package btrfs-progs)';
	try {
		await enableQuotas(pool);
		return undefined;
	} catch (error) {
		return `quotas cannot be enabled: ${messageOf(error)}`;
	}
}

/** Looks along PATH. */
export async function commandExists(command: string): Promise<boolean> {
	for (const dir of (process.env['PATH'] ?? '').split(delimiter)) {
		const found = await access(join(dir, command), constants.X_OK).then(
			() => true,
			() => false,
		);
		if (found) return true;
	}
	return false;
}
