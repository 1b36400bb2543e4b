/** What must hold before anything of a cluster is made on disk: asked first, so that a refused start leaves nothing. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError, messageOf } from '../base/errors.ts';
import { NOT_ROOT } from './doctor.ts';

/** AppError with the next step; makes the data folder. */
export async function checkStart(dataDir: string, uid: number | undefined = process.getuid?.()): Promise<void> {
	if (uid !== 0) throw new AppError('FailedPrecondition', `${NOT_ROOT.what}. ${NOT_ROOT.fix}`);
	try {
		await makeFolder(dataDir);
	} catch (cause) {
		throw new AppError(
			'FailedPrecondition',
			`The data folder "${dataDir}" cannot be used: ${await whyNoFolder(dataDir, cause)}. Give another --data-dir.`,
			{ cause },
		);
	}
}

/** Not by mkdir's `recursive`, which goes round for ever where a parent exists and takes no folders (/proc). */
async function makeFolder(path: string): Promise<void> {
	try {
		await mkdir(path, { mode: 0o700 });
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
		const parent = dirname(path);
		if (code !== 'ENOENT' || (await stat(parent).catch(() => undefined)) !== undefined) throw error;
		await makeFolder(parent);
		await mkdir(path, { mode: 0o700 });
	}
}

async function whyNoFolder(path: string, cause: unknown): Promise<string> {
	for (let at = path; at !== dirname(at); at = dirname(at)) {
		const found = await stat(at).catch(() => undefined);
		if (found === undefined) continue;
		if (!found.isDirectory()) return `"${at}" is a file`;
		break;
	}
	return REASONS[(cause as NodeJS.ErrnoException).code ?? ''] ?? messageOf(cause);
}

const REASONS: Readonly<Record<string, string>> = {
	EROFS: 'its file system is read-only',
	EACCES: 'permission denied',
	EPERM: 'permission denied',
	ENOSPC: 'its disk is full',
	ENOENT: 'no folder can be made there',
};

/** An error as people can use it: what the system says of a full or broken disk, in plain words. */
export function explained(error: unknown, dataDir: string): unknown {
	if (error instanceof AppError) return error;
	const { code, path = dataDir } = error as NodeJS.ErrnoException;
	if (code === 'ENOSPC' || code === 'EDQUOT')
		return new AppError(
			'ResourceExhausted',
			`The disk that holds "${path}" is full. Free some space and start again; nothing that was kept is lost.`,
			{ cause: error },
		);
	if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM')
		return new AppError('PermissionDenied', `Cannot write "${path}": ${REASONS[code]}. Mend that, or give another --data-dir.`, {
			cause: error,
		});
	return error;
}
