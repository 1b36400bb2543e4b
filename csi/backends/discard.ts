/** What is done to the data of a volume or snapshot before its folder goes. */
import { detachLoop, loopDevices } from '../../host/loop.ts';
import { readMutable } from '../parameters.ts';
import { removeSubvolume } from './btrfs.ts';
import { eraseFile } from './erase.ts';
import { imageIn } from './loop.ts';

/** The folder may be of anything, whole or not. Overwrites the image first where the volume's parameters ask for it. */
export async function discardData(
	dir: string,
	record: { readonly mutableParameters?: Readonly<Record<string, string>> | undefined } | undefined,
): Promise<void> {
	const image = imageIn(dir);
	if (readMutable(record?.mutableParameters ?? {}).secureErase) await eraseFile(image);
	for (const device of await loopDevices()) if (device.backingFile === image) await detachLoop(device);
	await removeSubvolume(dir);
}
