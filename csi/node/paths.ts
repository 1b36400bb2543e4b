/** Staging and target paths: where they really are, and whether the driver may touch what is there. */
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize } from 'node:path';
import { AppError } from '../../base/errors.ts';

/**
 * The path with the links of its parents resolved, as the mount table will show it. Its last part must be no link, which `mount` would follow, and it
 * must lie below one of the roots, if there are any. Throws InvalidArgument.
 */
export async function realTarget(path: string, roots: readonly string[]): Promise<string> {
	if (!isAbsolute(path) || path.includes('\0')) throw invalid(`Path "${path}" is not absolute`);
	if (path.split('/').includes('..')) throw invalid(`Path "${path}" has ".." in it`);
	const plain = normalize(path).replace(/(.)\/$/, '$1');
	if (plain === '/') throw invalid('The root folder is no place for a volume');
	const [parent, ...realRoots] = await Promise.all([dirname(plain), ...roots].map((dir) => realParent(dir)));
	const real = join(parent ?? '', basename(plain));
	if ((await lstat(real).catch(() => undefined))?.isSymbolicLink()) throw invalid(`Path "${path}" is a symbolic link`);
	if (roots.length === 0) return real;
	if (!realRoots.some((root) => real.startsWith(root === '/' ? root : `${root}/`)))
		throw invalid(`Path "${path}" is not below ${roots.join(' or ')}`);
	return real;
}

/** Of what does not exist, the part that does. */
async function realParent(dir: string): Promise<string> {
	try {
		return await realpath(dir);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dir === '/') throw invalid(`Path "${dir}" cannot be resolved`);
		return join(await realParent(dirname(dir)), basename(dir));
	}
}

function invalid(message: string): AppError {
	return new AppError('InvalidArgument', message);
}
