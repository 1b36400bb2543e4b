/** Images mounted as volumes where the engine has no such mounts: a read-only, non-executable overlay of the image's layers on this host, by container. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, ignoreErrno } from '../../base/errors.ts';
import { resolveInRoot } from '../../host/in-root.ts';
import { unmount } from '../../host/mounts.ts';
import { mountReadOnlyOverlay } from '../../host/overlay.ts';
import type { ImageInspect } from '../engine/types.ts';
import { layerFolders } from './layers.ts';

export class ImageVolumes {
	readonly #dir: string;
	/** Folders of owners: most containers have no image volume, and then nothing is asked of the disk. */
	readonly #owners = new Set<string>();

	constructor(dir: string) {
		this.#dir = dir;
	}

	/** Unmounts what belongs to none of these containers (by name); for the start, after a crash. */
	async collect(names: ReadonlySet<string>): Promise<void> {
		const known = new Set([...names].map(folderOf));
		for (const owner of (await readdir(this.#dir).catch(ignoreErrno('ENOENT'))) ?? []) {
			if (owner === EMPTY) continue;
			this.#owners.add(owner);
			if (!known.has(owner)) await this.#release(owner);
		}
	}

	/** The path on this host where the image (or what `subPath` names in it) can be seen. */
	async add(containerName: string, index: number, image: ImageInspect, subPath: string): Promise<string> {
		const folders = layerFolders(image);
		if (folders === undefined)
			throw new AppError(
				'FailedPrecondition',
				`Cannot mount image "${image.Id}": the engine keeps its layers elsewhere and has no image mounts (28 has)`,
			);
		const owner = folderOf(containerName);
		const target = join(this.#dir, owner, String(index));
		this.#owners.add(owner);
		await mkdir(target, { recursive: true });
		await unmount(target);
		await mountReadOnlyOverlay(folders, target, { empty: join(this.#dir, EMPTY), options: ['noexec', 'nosuid', 'nodev'] });
		if (subPath === '') return target;
		const path = await resolveInRoot(target, subPath);
		const there = await stat(path).catch(() => undefined);
		if (there === undefined) throw new AppError('NotFound', `Image "${image.Id}" has no "${subPath}"`);
		return path;
	}

	/** Idempotent. */
	async release(containerName: string): Promise<void> {
		const owner = folderOf(containerName);
		if (this.#owners.has(owner)) await this.#release(owner);
	}

	async #release(owner: string): Promise<void> {
		const dir = join(this.#dir, owner);
		// Nothing can be mounted below what is not there or is no folder; what cannot be read may have mounts.
		const mounts = (await readdir(dir).catch(ignoreErrno('ENOENT', 'ENOTDIR'))) ?? [];
		for (const index of mounts) await unmount(join(dir, index), { lazy: true });
		await rm(dir, { recursive: true, force: true });
		this.#owners.delete(owner);
	}
}

/** The overlay's second layer, where an image has one alone. */
const EMPTY = 'empty';

function folderOf(containerName: string): string {
	return createHash('sha256').update(containerName).digest('hex').slice(0, 32);
}
