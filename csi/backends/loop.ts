/** Volumes as sparse image files, used through loop devices: on any file system, of exactly their size. */
import { statSync } from 'node:fs';
import { open, stat, truncate } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { syncPath } from '../../base/files.ts';
import type { MountPoint } from '../../host/freeze.ts';
import { attachLoop, detachLoop, loopDevice, loopDevices, refreshLoopSize, type LoopDevice } from '../../host/loop.ts';
import { mountHeld, unmountLocal } from '../../host/held-mount.ts';
import { mountedAt } from '../../host/mounted.ts';
import type { Mounter } from '../../host/mounter.ts';
import { readMounts } from '../../host/mounts.ts';
import { isReadOnlyMode } from '../capability.ts';
import type { FileSystem } from '../filesystems/filesystem.ts';
import { FILE_SYSTEMS } from '../filesystems/all.ts';
import { readSuperblock } from '../filesystems/superblock.ts';
import type { DataFacts } from '../records/records.ts';
import type { SizeLimits } from '../size.ts';
import type { Backend, StageRequest } from './backend.ts';
import { copyImage } from './copy-file.ts';

const PAGE = 4096;
const MOST_BYTES = 16 * 1024 ** 4 - PAGE;
/** Less than this is not worth a growth: ext4 leaves an incomplete block group out. */
const GROWTH_BYTES = 1024 ** 2;

/** A device that others still have after this is mounted as it is; raw blocks are refused, for two devices that write to one image do not see each other. */
const LINGERS_MS = 10_000;
const LOOK_MS = 50;

export const imageIn = (dir: string): string => `${dir}/data.img`;

export class LoopBackend implements Backend {
	readonly kind = 'loop';
	readonly enforcesSize = true;
	readonly #capabilities: readonly string[];
	readonly #clock: Clock;
	readonly #shares: boolean;
	/** By folder: what a stage met and did not take over. */
	readonly #lingering = new Map<string, LoopDevice>();
	readonly #mounter: Mounter;

	/** `capabilities` of this process; `shares`: files of the pool can share blocks. */
	constructor(capabilities: readonly string[], clock: Clock, shares: boolean, mounter: Mounter) {
		this.#capabilities = capabilities;
		this.#clock = clock;
		this.#shares = shares;
		this.#mounter = mounter;
	}

	growsOnline(facts: DataFacts): boolean {
		return fileSystemOf(facts)?.growsOnline(this.#capabilities) ?? true;
	}

	limits(facts: Pick<DataFacts, 'access' | 'fsType'>): SizeLimits {
		const fs = fileSystemOf(facts);
		return { minBytes: fs?.minBytes ?? PAGE, maxBytes: fs?.maxBytes ?? MOST_BYTES, alignment: PAGE };
	}

	makesAgain(facts: DataFacts): boolean {
		return fileSystemOf(facts) === undefined;
	}

	async make(dir: string, facts: DataFacts): Promise<void> {
		const image = imageIn(dir);
		await makeImage(image, facts.sizeBytes);
		await fileSystemOf(facts)?.make(image);
	}

	async copy(from: string, to: string, facts: DataFacts): Promise<void> {
		await copyImage(imageIn(from), imageIn(to), this.#shares);
		await enlarge(imageIn(to), facts.sizeBytes); // synced with its folder, once nobody waits for a thaw
	}

	async grow(dir: string, { sizeBytes }: DataFacts): Promise<void> {
		await enlarge(imageIn(dir), sizeBytes);
		await syncPath(imageIn(dir));
	}

	allocatedBytes(dir: string): number {
		return (statSync(imageIn(dir), { throwIfNoEntry: false })?.blocks ?? 0) * 512;
	}

	lingering(dir: string): string | undefined {
		const kept = this.#lingering.get(dir);
		if (kept === undefined) return undefined;
		const now = loopDevice(basename(kept.path));
		if (now?.autoclear === true && now.backingFile === imageIn(dir)) return kept.path;
		this.#lingering.delete(dir);
		return undefined;
	}

	async isStaged({ dir, facts, path }: StageRequest): Promise<boolean> {
		if (facts.access === 'block') return (await this.#kept(dir, false)) !== undefined;
		const at = await mountedAt(path);
		return at !== undefined && (await this.#devices(dir)).some((d) => d.device === at.device);
	}

	async prepare({ dir, facts, capability }: StageRequest): Promise<void> {
		const image = imageIn(dir);
		const fs = fileSystemOf(facts);
		const { access } = capability;
		if (fs !== undefined && access.kind === 'mount' && access.fsType !== undefined && access.fsType !== fs.type)
			throw new AppError('FailedPrecondition', `The volume has the file system ${fs.type}, not ${access.fsType}`);
		const inUse = await this.#isInUse(dir); // elsewhere on this host: not to be touched
		if (fs === undefined || inUse) return;
		if (isReadOnlyMode(capability.mode)) return;
		if ((await readSuperblock(image))?.clean !== true) await fs.check(image);
		if (await growthWaits(image)) await fs.growOffline(image);
	}

	/** A mounted loop device is freed by the kernel with its last mount, whatever becomes of this process. */
	async stage({ dir, facts, capability, path }: StageRequest): Promise<void> {
		const image = imageIn(dir);
		const fs = fileSystemOf(facts);
		if (fs === undefined) {
			if ((await this.#devices(dir)).some((d) => d.autoclear && !d.readOnly))
				throw new AppError('Aborted', `"${image}" still has the device that it was unstaged from: others have that open`);
			return void (await this.device(dir, false));
		}
		const flags = capability.access.kind === 'mount' ? capability.access.flags : [];
		const readOnly = isReadOnlyMode(capability.mode) ? ['ro'] : [];
		await mountHeld(image, path, { type: fs.type, options: ['loop', ...fs.mountOptions, ...flags, ...readOnly] });
		const kept = this.#lingering.get(dir);
		if (kept !== undefined && (await mountedAt(path))?.device === kept.device) this.#lingering.delete(dir); // mount(8) takes what the image has already
		const found = await readSuperblock(image);
		if (found?.type === 'xfs' && readOnly.length === 0 && (await growthWaits(image))) await fs.growOnline(image, path);
	}

	async unstage(dir: string, facts: DataFacts, path: string, shared: boolean): Promise<void> {
		if (facts.access === 'mount') await unmountLocal(this.#mounter, path);
		else if (!shared) for (const device of await this.#devices(dir)) await detachLoop(device);
	}

	async growStaged({ dir, facts, path }: StageRequest): Promise<number> {
		const devices = await this.#devices(dir);
		for (const device of devices) if (device.sizeBytes < facts.sizeBytes) await refreshLoopSize(device.path);
		const fs = fileSystemOf(facts);
		const [device] = devices;
		if (fs === undefined || device === undefined) return facts.sizeBytes;
		const now = await readSuperblock(device.path);
		if (now === undefined || facts.sizeBytes - now.sizeBytes < GROWTH_BYTES) return facts.sizeBytes;
		if (!fs.growsOnline(this.#capabilities))
			throw new AppError(
				'FailedPrecondition',
				`${fs.type} cannot grow in use without CAP_SYS_RESOURCE; it grows when the volume is next staged`,
			);
		await fs.growOnline(device.path, path);
		return facts.sizeBytes;
	}

	async mountPoints(dir: string): Promise<readonly MountPoint[]> {
		const devices = await this.#devices(dir);
		if (devices.length === 0) return [];
		const mounts = (await readMounts()).filter((m) => m.root === '/' && devices.some((d) => d.device === m.device));
		return [...new Map(mounts.map((m) => [m.device, m])).values()]; // one is enough: it is one file system
	}

	/** A device that is read-only keeps writers out; a read-only mount of a device file would not. */
	async device(dir: string, readOnly: boolean): Promise<string> {
		return (await this.#kept(dir, readOnly))?.path ?? attachLoop(imageIn(dir), { readOnly });
	}

	async releaseReadOnly(dir: string): Promise<void> {
		for (const device of await this.#devices(dir)) if (device.readOnly) await detachLoop(device);
	}

	/**
	 * Whether anybody has the image. What was given back may linger: each container that starts has copies of all mounts for a moment, and others look at
	 * devices that come and go. That is waited for.
	 */
	async #isInUse(dir: string): Promise<boolean> {
		for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
			const devices = await this.#devices(dir);
			const mounts = devices.length === 0 ? [] : await readMounts();
			const lingers = devices.find((d) => d.autoclear && !mounts.some((m) => m.device === d.device));
			if (lingers === undefined) this.#lingering.delete(dir);
			else if (waitedMs >= LINGERS_MS) this.#lingering.set(dir, lingers);
			if (lingers === undefined || waitedMs >= LINGERS_MS) return devices.length > 0;
			await this.#clock.sleep(LOOK_MS);
		}
	}

	/** The device of raw blocks, unless it goes with whoever still has it open. */
	async #kept(dir: string, readOnly: boolean): Promise<LoopDevice | undefined> {
		return (await this.#devices(dir)).find((d) => d.readOnly === readOnly && !d.autoclear);
	}

	async #devices(dir: string): Promise<readonly LoopDevice[]> {
		const image = imageIn(dir);
		return (await loopDevices()).filter((d) => d.backingFile === image);
	}
}

function fileSystemOf({ access, fsType }: Pick<DataFacts, 'access' | 'fsType'>): FileSystem | undefined {
	return access === 'mount' ? FILE_SYSTEMS[fsType ?? 'ext4'] : undefined;
}

/** Raw blocks, all of them empty. */
export async function makeImage(image: string, sizeBytes: number): Promise<void> {
	await using file = await open(image, 'wx', 0o600);
	await file.truncate(sizeBytes);
}

async function enlarge(image: string, sizeBytes: number): Promise<void> {
	if ((await stat(image)).size < sizeBytes) await truncate(image, sizeBytes);
}

async function growthWaits(image: string): Promise<boolean> {
	const [now, { size }] = await Promise.all([readSuperblock(image), stat(image)]);
	return now !== undefined && size - now.sizeBytes >= GROWTH_BYTES;
}
