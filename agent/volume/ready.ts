/** Says that a volume is as it is to be: what another life of the agent left half done is done again. */
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** @param file of `volumeReadyFile` */
export async function markReady(file: string): Promise<void> {
	await mkdir(dirname(file), { recursive: true, mode: 0o750 });
	await writeFile(file, '');
}

export function isThere(path: string): Promise<boolean> {
	return stat(path).then(
		() => true,
		() => false,
	);
}
