/** Making a folder, with those above it, at a path that somebody names. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * There already is success, as with `mkdir -p`; `mode` is that of each folder made. Where none can be made it rejects with the system's error, also where
 * the system calls what is missing the folder itself, not one above it (below /proc): Node.js's own `recursive` goes round for ever there.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
	try {
		await mkdir(path, mode);
	} catch (error) {
		const above = dirname(path);
		if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === path) return thereOr(path, error);
		await makeFolder(above, mode);
		await mkdir(path, mode).catch((again: unknown) => thereOr(path, again));
	}
}

async function thereOr(path: string, error: unknown): Promise<void> {
	const found = await stat(path).catch(() => undefined);
	if (found?.isDirectory() !== true) throw error;
}
