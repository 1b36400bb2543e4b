/** CSI volumes as the disk has them: what is published to which pod, and what is staged. It outlives the agent. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { podsFolder } from '../pod/folders.ts';
import { BLOCK_DEVICES, blockPaths, pluginFolder, publishFolder } from './names.ts';
import { readVolumeData, type VolumeData } from './volume-data.ts';

export interface FoundVolume {
	readonly podUid: string;
	readonly specName: string;
	readonly data: VolumeData;
	readonly block: boolean;
}

/** Of one pod. */
export async function publishedTo(rootDir: string, podUid: string): Promise<readonly FoundVolume[]> {
	const found: FoundVolume[] = [];
	for (const { dataFolder, ...volume } of await foldersOf(rootDir, podUid)) {
		const data = await readVolumeData(dataFolder);
		if (data !== undefined) found.push({ ...volume, data });
	}
	return found;
}

/** Of all pods. */
export async function published(rootDir: string): Promise<readonly FoundVolume[]> {
	return (await Promise.all((await names(podsFolder(rootDir))).map((uid) => publishedTo(rootDir, uid)))).flat();
}

/** What an earlier life of the agent has published. @param told of each volume there is, with what is wrong with its file where it cannot be gone by */
export async function reconstructed(
	rootDir: string,
	told: (podUid: string, specName: string, error: unknown) => void,
): Promise<readonly FoundVolume[]> {
	const found: FoundVolume[] = [];
	for (const uid of await names(podsFolder(rootDir)))
		for (const { dataFolder, ...volume } of await foldersOf(rootDir, uid))
			try {
				const data = await readVolumeData(dataFolder);
				if (data === undefined) throw new AppError('NotFound', `The folder "${dataFolder}" says nothing of its volume`);
				found.push({ ...volume, data });
				told(uid, volume.specName, undefined);
			} catch (error) {
				told(uid, volume.specName, error);
			}
	return found;
}

export interface StagedVolume {
	readonly folder: string;
	readonly data: VolumeData;
	/** The name of its PersistentVolume, of a device. */
	readonly specName: string | undefined;
}

export async function staged(rootDir: string): Promise<readonly StagedVolume[]> {
	const found: StagedVolume[] = [];
	const root = pluginFolder(rootDir);
	for (const driver of await names(root)) {
		if (driver === BLOCK_DEVICES) continue;
		for (const hash of await names(join(root, driver))) {
			const folder = join(root, driver, hash);
			const data = await readVolumeData(folder);
			if (data !== undefined) found.push({ folder, data, specName: undefined });
		}
	}
	for (const specName of await names(join(root, BLOCK_DEVICES))) {
		if (['staging', 'publish'].includes(specName)) continue;
		const data = await readVolumeData(join(root, BLOCK_DEVICES, specName, 'data'));
		if (data !== undefined) found.push({ folder: join(root, BLOCK_DEVICES, 'staging', specName), data, specName });
	}
	return found;
}

interface VolumeFolder extends Omit<FoundVolume, 'data'> {
	/** Where vol_data.json is. */
	readonly dataFolder: string;
}

async function foldersOf(rootDir: string, podUid: string): Promise<readonly VolumeFolder[]> {
	const mounted = await names(publishFolder(rootDir, podUid, ''));
	const publish = join(pluginFolder(rootDir), BLOCK_DEVICES, 'publish');
	const linked = await names(join(blockPaths(rootDir, podUid, '').podLink));
	const published = await Promise.all(
		(await names(publish)).map(async (n) => ((await names(join(publish, n))).includes(podUid) ? [n] : [])),
	);
	const devices = [...new Set([...linked, ...published.flat()])];
	return [
		...mounted.map((specName) => ({ podUid, specName, block: false, dataFolder: publishFolder(rootDir, podUid, specName) })),
		...devices.map((specName) => ({ podUid, specName, block: true, dataFolder: blockPaths(rootDir, podUid, specName).data })),
	];
}

async function names(folder: string): Promise<readonly string[]> {
	return readdir(folder).catch((error: NodeJS.ErrnoException) => {
		if (['ENOENT', 'ENOTDIR'].includes(error.code ?? '')) return [];
		throw error;
	});
}
