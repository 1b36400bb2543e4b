/**
 * Writes the files of a volume so that readers see all of the old or all of the new: a folder `..<time>` behind the symlink `..data`, which is
 * swapped by rename; the names people see are symlinks into `..data`. Upstream's layout, which programs watch for.
 */
import { chmod, chown, mkdir, mkdtemp, readFile, readdir, readlink, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { VolumeFiles } from './files.ts';

/** The link to what is shown. */
export const DATA = '..data';

/**
 * True when something changed.
 * @param fsGroup the group to which everything then belongs and which may read it, as upstream's for read-only volumes
 */
export async function writeVolume(folder: string, files: VolumeFiles, fsGroup: number | undefined, now: number): Promise<boolean> {
	await mkdir(folder, { recursive: true });
	const old = await dataFolder(folder);
	const names = new Set([...files.keys()].map((path) => path.split('/')[0] ?? path));
	if (old !== undefined && (await holds(join(folder, old), files))) {
		// Who wrote it may have ended before its names were there.
		await linkNames(folder, names);
		return false;
	}
	await own(folder, fsGroup);
	const stamp = new Date(now).toISOString().slice(0, 19).replace(/[-T:]/g, '_');
	const fresh = await mkdtemp(join(folder, `..${stamp}.`));
	await own(fresh, fsGroup);
	for (const [path, file] of files) {
		const target = join(fresh, path);
		await mkdir(dirname(target), { recursive: true });
		for (let above = dirname(target); above !== fresh; above = dirname(above)) await own(above, fsGroup);
		// Nobody else's until it has the owner and mode that it is to have.
		await writeFile(target, file.data, { mode: 0o600 });
		if (fsGroup !== undefined || file.uid !== undefined) await chown(target, file.uid ?? 0, fsGroup ?? 0);
		await chmod(target, fsGroup === undefined ? file.mode : file.mode | 0o440);
	}
	const swap = join(folder, `${DATA}_tmp`);
	await rm(swap, { force: true });
	await symlink(fresh.slice(folder.length + 1), swap);
	await rename(swap, join(folder, DATA));
	await linkNames(folder, names);
	if (old !== undefined) await rm(join(folder, old), { recursive: true, force: true });
	return true;
}

/** The name of the folder that is shown. Of a link that we did not make nothing is read, and nothing is removed where it leads. */
async function dataFolder(folder: string): Promise<string | undefined> {
	const name = await readlink(join(folder, DATA)).catch(() => undefined);
	return name !== undefined && /^\.\.\d[^/]*$/.test(name) ? name : undefined;
}

async function own(folder: string, fsGroup: number | undefined): Promise<void> {
	if (fsGroup !== undefined) await chown(folder, 0, fsGroup);
	await chmod(folder, fsGroup === undefined ? 0o755 : 0o2755);
}

/** What is no link of ours stays: others may be mounted there. */
async function linkNames(folder: string, names: ReadonlySet<string>): Promise<void> {
	const present = (await readdir(folder, { withFileTypes: true })).filter(({ name }) => !name.startsWith('..'));
	const known = new Set(present.map(({ name }) => name));
	for (const name of names) if (!known.has(name)) await symlink(join(DATA, name), join(folder, name));
	for (const entry of present) if (entry.isSymbolicLink() && !names.has(entry.name)) await rm(join(folder, entry.name), { force: true });
}

async function holds(folder: string, files: VolumeFiles): Promise<boolean> {
	const present = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => undefined);
	if (present === undefined || present.filter((e) => e.isFile()).length !== files.size) return false;
	for (const [path, file] of files) {
		const target = join(folder, path);
		const info = await stat(target).catch(() => undefined);
		if (info?.size !== file.data.byteLength || !(await readFile(target)).equals(file.data)) return false;
	}
	return true;
}
