/** Reads the files of a pod's volumes that a container's variables are in: reached by no link, for other containers write them. */
import { constants } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Container } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import { openOwn } from '../../host/own-file.ts';
import type { VolumePaths } from '../volume/volumes.ts';

/** Variables are few; a file of more is no such file. */
const MAX_BYTES = 2 ** 20;

/** By volume and path, as envFileKey() has them; undefined for what is not there. */
export type EnvFiles = ReadonlyMap<string, string | undefined>;

export function envFileKey(volumeName: string, path: string): string {
	return `${volumeName}/${path}`;
}

export async function envFiles(container: Container, volumes: VolumePaths): Promise<EnvFiles> {
	const texts = new Map<string, string | undefined>();
	for (const { valueFrom } of container.env ?? []) {
		if (valueFrom?.fileKeyRef === undefined) continue;
		const { volumeName, path } = valueFrom.fileKeyRef;
		const key = envFileKey(volumeName, path);
		if (!texts.has(key)) texts.set(key, await textOf(volumeName, path, volumes));
	}
	return texts;
}

async function textOf(volumeName: string, path: string, volumes: VolumePaths): Promise<string | undefined> {
	const volume = volumes.get(volumeName);
	if (volume?.kind !== 'folder') throw new AppError('InvalidArgument', `cannot find the volume "${volumeName}" referenced by FileKeyRef`);
	try {
		await using file = await openOwn(join(volume.path, path), volume.path, constants.O_RDONLY);
		// One byte more than may be: no look at the size, for the file may grow after it.
		const bytes = await buffer(file.createReadStream({ end: MAX_BYTES, autoClose: false }));
		if (bytes.length > MAX_BYTES) throw new AppError('InvalidArgument', `the environment variable file "${path}" is too long`);
		return bytes.toString('utf8');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	}
}
