/** What is done to the data of a volume or snapshot before its folder goes. */
import { existsSync } from 'node:fs';
import { detachLoop, loopDevices } from '../../host/loop.ts';
import { readMutable } from '../parameters.ts';
import { removeSubvolume } from './btrfs.ts';
import { eraseFile } from './erase.ts';
import { imageIn } from './loop.ts';

/** What its record says of it. */
export interface Discarded {
	readonly mutableParameters?: Readonly<Record<string, string>> | undefined;
}

/** Whether the data is overwritten first. Where a power failure took the record nobody knows, and it is. */
export function isErased(record: Discarded | undefined): boolean {
	return record === undefined || readMutable(record.mutableParameters ?? {}).secureErase;
}

/** The folder may be of anything, whole or not. What is overwritten when the signal aborts is so far. */
export async function discardData(dir: string, record: Discarded | undefined, signal?: AbortSignal): Promise<void> {
	const image = imageIn(dir);
	if (existsSync(image)) {
		if (isErased(record)) await eraseFile(image, signal);
		for (const device of await loopDevices()) if (device.backingFile === image) await detachLoop(device);
	}
	await removeSubvolume(dir);
}
