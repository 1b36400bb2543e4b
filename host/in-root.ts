/** Paths inside a folder whose content is a stranger's: links in it must not lead out of it. */
import { readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../base/errors.ts';

/** As path_resolution(7), which gives up too. */
const MAX_LINKS = 40;

/**
 * The path that `path` is for a process whose root is `root`: absolute links start again at the root, and `..` never leaves it. What does not
 * exist stays as it is named. Only for folders that nobody changes meanwhile.
 */
export async function resolveInRoot(root: string, path: string): Promise<string> {
	let parts = path.split('/');
	let at: string[] = [];
	for (let links = 0; parts.length > 0; ) {
		const [part = '', ...rest] = parts;
		parts = rest;
		if (part === '' || part === '.') continue;
		if (part === '..') {
			at.pop();
			continue;
		}
		const link = await readlink(join(root, ...at, part)).catch(() => undefined);
		if (link === undefined) {
			at.push(part);
			continue;
		}
		if (++links > MAX_LINKS) throw new AppError('InvalidArgument', `Path "${path}" has too many links`);
		if (link.startsWith('/')) at = [];
		parts = [...link.split('/'), ...parts];
	}
	return join(root, ...at);
}
