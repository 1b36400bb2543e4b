/** A read-only overlay of folders. */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../base/errors.ts';
import { runCommand } from './command.ts';

export interface OverlayOptions {
	/** An empty folder: a mount without an upper layer needs two lower ones. */
	readonly empty: string;
	/** Further mount options: "noexec". */
	readonly options?: readonly string[];
}

/** Mounts the folders, highest first, over each other at `target`. Folders of Docker's overlay2 are named by its short links, since all options together fit in one page. */
export async function mountReadOnlyOverlay(
	folders: readonly string[],
	target: string,
	{ empty, options = [] }: OverlayOptions,
): Promise<void> {
	await mkdir(empty, { recursive: true });
	const named = await Promise.all(folders.map(shortName));
	const lower = [...named, empty].map((f) => f.replaceAll('\\', '\\\\').replaceAll(':', '\\:').replaceAll(',', '\\,')).join(':');
	// mount(2) as it was: fsconfig(2) takes no option longer than 255 bytes.
	const env = { ...process.env, LIBMOUNT_FORCE_MOUNT2: 'always' };
	await runCommand('mount', ['-t', 'overlay', '-o', ['ro', ...options, `lowerdir=${lower}`].join(','), '--', 'overlay', target], {
		env,
	}).catch((cause: Error) => {
		throw new AppError('Internal', `Cannot mount ${folders.length} folders over each other at "${target}": ${cause.message}`, { cause });
	});
}

/** `…/overlay2/ID/diff` is also `…/overlay2/l/SHORT`, where the file `link` beside it says SHORT. */
async function shortName(folder: string): Promise<string> {
	const link = (await readFile(join(dirname(folder), 'link'), 'utf8').catch(() => '')).trim();
	return /^[A-Z0-9]{26}$/.test(link) ? join(dirname(dirname(folder)), 'l', link) : folder;
}
