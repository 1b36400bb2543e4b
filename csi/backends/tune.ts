/** What of the mutable parameters shows in a volume's device, if it has one now. */
import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { loopDevices } from '../../host/loop.ts';
import type { MutableParameters } from '../parameters.ts';
import { imageIn } from './loop.ts';

export async function tuneDevices(dir: string, { readAheadKiB }: MutableParameters): Promise<void> {
	if (readAheadKiB === undefined) return;
	for (const { path, backingFile } of await loopDevices())
		if (backingFile === imageIn(dir)) await writeFile(`/sys/block/${basename(path)}/queue/read_ahead_kb`, String(readAheadKiB));
}
