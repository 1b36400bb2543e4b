/** vol_data.json, upstream's: what a later life of the agent needs to take a volume down. Written before the driver is asked for anything. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeEmpty } from './remove-empty.ts';
import { readIfExists, writeAtomic } from '../../base/files.ts';
import { AppError } from '../../base/errors.ts';

export interface VolumeData {
	readonly driverName: string;
	readonly volumeHandle: string;
	readonly specVolID?: string;
	readonly nodeName?: string;
	readonly attachmentID?: string;
	readonly volumeLifecycleMode?: 'Persistent' | 'Ephemeral';
	/** Of one that is mounted with a label, which upstream keeps here too. */
	readonly seLinuxMountContext?: string;
}

const FILE = 'vol_data.json';

export async function writeVolumeData(folder: string, data: VolumeData): Promise<void> {
	const text = JSON.stringify(data);
	if ((await readIfExists(join(folder, FILE))) === text) return;
	await writeAtomic(join(folder, FILE), text, 0o644);
}

/** Undefined where there is none; throws for one that cannot be understood. */
export async function readVolumeData(folder: string): Promise<VolumeData | undefined> {
	const path = join(folder, FILE);
	const text = await readIfExists(path);
	if (text === undefined) return undefined;
	const data = parse(text);
	if (typeof data?.driverName !== 'string' || typeof data.volumeHandle !== 'string')
		throw new AppError('DataLoss', `The file "${path}" does not name a driver and a volume`);
	return data as VolumeData;
}

/** The file, and its folder, which must be empty then. */
export async function removeVolumeFolder(folder: string): Promise<void> {
	await rm(join(folder, FILE), { force: true });
	await removeEmpty(folder);
}

function parse(text: string): Partial<VolumeData> | undefined {
	try {
		return JSON.parse(text) as Partial<VolumeData>;
	} catch {
		return undefined;
	}
}
