/** CSI volumes as the disk has them: what is published to which pod, and what is staged. It outlives the agent. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
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
	for (const specName of await names(publishFolder(rootDir, podUid, ''))) {
		const data = await readVolumeData(publishFolder(rootDir, podUid, specName));
		if (data !== undefined) found.push({ podUid, specName, data, block: false });
	}
	const publish = join(pluginFolder(rootDir), BLOCK_DEVICES, 'publish');
	const linked = await names(join(blockPaths(rootDir, podUid, '').podLink));
	const published = await Promise.all(
		(await names(publish)).map(async (n) => ((await names(join(publish, n))).includes(podUid) ? [n] : [])),
	);
	for (const specName of new Set([...linked, ...published.flat()])) {
		const data = await readVolumeData(blockPaths(rootDir, podUid, specName).data);
		if (data !== undefined) found.push({ podUid, specName, data, block: true });
	}
	return found;
}

/** Of all pods. */
export async function published(rootDir: string): Promise<readonly FoundVolume[]> {
	return (await Promise.all((await names(podsFolder(rootDir))).map((uid) => publishedTo(rootDir, uid)))).flat();
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

async function names(folder: string): Promise<readonly string[]> {
	return readdir(folder).catch((error: NodeJS.ErrnoException) => {
		if (['ENOENT', 'ENOTDIR'].includes(error.code ?? '')) return [];
		throw error;
	});
}
