/** Volumes as plain folders of the pool, bind-mounted: works everywhere, and keeps nobody to a size. */
import { chmodSync, mkdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { AppError } from '../../base/errors.ts';
import { bindHeld, setOptionsHeld, unmountLocal } from '../../host/held-mount.ts';
import { hasOptions, isOfMount } from '../../host/mount-options.ts';
import { deviceNumber, mountedAt } from '../../host/mounted.ts';
import type { Mounter } from '../../host/mounter.ts';
import { mountAt, readMounts } from '../../host/mounts.ts';
import { hasSelinux, relabelTree } from '../../host/selinux.ts';
import type { Capability } from '../capability.ts';
import type { DataFacts } from '../records/records.ts';
import type { SizeLimits } from '../size.ts';
import type { Backend, StageRequest } from './backend.ts';
import { copyTree } from './copy-file.ts';
import { takeLabel, type Labelled } from './label.ts';

export const filesIn = (dir: string): string => `${dir}/data`;

/** Users of all groups may be given the volume; whoever runs in the pod is not known here. */
const OPEN_MODE = 0o777;

type Relabel = (path: string, label: string) => Promise<void>;

export class DirectoryBackend implements Backend {
	readonly kind: Backend['kind'] = 'directory';
	readonly enforcesSize: boolean = false;
	readonly #mounter: Mounter;
	readonly #relabel: Relabel | undefined;

	/** @param relabel gives a label to all files of a folder; undefined: the host has no SELinux */
	constructor(mounter: Mounter, relabel: Relabel | undefined = hasSelinux() ? relabelTree : undefined) {
		this.#mounter = mounter;
		this.#relabel = relabel;
	}

	growsOnline(): boolean {
		return true;
	}
	limits(): SizeLimits {
		return { minBytes: 1, maxBytes: Number.MAX_SAFE_INTEGER, alignment: 1 };
	}

	makesAgain(_facts: DataFacts): boolean {
		return true;
	}
	async make(dir: string, _facts: DataFacts): Promise<void> {
		makeFiles(dir);
	}
	async copy(from: string, to: string, _facts: DataFacts): Promise<void> {
		await copyTree(filesIn(from), filesIn(to));
	}
	grow(_dir: string, _facts: DataFacts): Promise<void> {
		return Promise.resolve();
	}
	/** Not known without walking the tree; the pool's free space has it taken off already. */
	allocatedBytes(_dir: string, facts: DataFacts): number {
		return facts.sizeBytes;
	}

	async isStaged({ dir, path, capability }: StageRequest): Promise<boolean> {
		if (!(await isBound(dir, path))) return false;
		const { flags } = flagsOf(capability);
		return flags.length === 0 || hasOptions(mountAt(await readMounts(), path)?.options ?? [], flags);
	}
	/** A folder has no file system of its own to be told anything; its files have the label that a mount of one would show. */
	async prepare({ dir, capability }: StageRequest): Promise<void> {
		const { label, flags } = flagsOf(capability);
		const stranger = flags.find((flag) => !isOfMount(flag));
		if (stranger !== undefined)
			throw new AppError(
				'InvalidArgument',
				`Mount flag "${stranger}" is one for a file system: volumes of the back end ${this.kind} have none of their own`,
			);
		if (label !== undefined) await this.#relabel?.(filesIn(dir), label);
	}
	/** A crash may have come before the flags. */
	async stage({ dir, path, capability }: StageRequest): Promise<void> {
		const { flags } = flagsOf(capability);
		if (await isBound(dir, path)) await setOptionsHeld(path, flags);
		else await bindHeld(this.#mounter, filesIn(dir), path, flags);
	}
	async unstage(_dir: string, _facts: DataFacts, path: string, _shared: boolean): Promise<void> {
		await unmountLocal(this.#mounter, path);
	}
	growStaged({ facts }: StageRequest): Promise<number> {
		return Promise.resolve(facts.sizeBytes);
	}
	mountPoints(): Promise<readonly []> {
		return Promise.resolve([]);
	}
	device(): Promise<string> {
		return Promise.reject(new AppError('InvalidArgument', 'Folders are no block devices'));
	}
	releaseReadOnly(): Promise<void> {
		return Promise.resolve();
	}
}

export function makeFiles(dir: string): void {
	mkdirSync(filesIn(dir));
	chmodSync(filesIn(dir), OPEN_MODE); // mkdir's mode passes the umask
}

async function isBound(dir: string, path: string): Promise<boolean> {
	const at = await mountedAt(path);
	if (at === undefined) return false;
	const { dev, ino } = await stat(filesIn(dir));
	return at.device === deviceNumber(dev) && at.inode === ino;
}

function flagsOf({ access }: Capability): Labelled {
	return takeLabel(access.kind === 'mount' ? access.flags : []);
}
