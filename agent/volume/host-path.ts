/**
 * hostPath: a path of the node, checked or made as its type says. Links are followed, as upstream does: who may name a path of the node may name any.
 * Who can only write below it makes the agent neither open nor change nor wait for what it puts there.
 */
import { lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
import type { HostPathVolumeSource } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import { makeFolder } from '../../base/make-folder.ts';

const CHECKS: Readonly<Record<string, readonly [(s: Stats) => boolean, string]>> = {
	Directory: [(s) => s.isDirectory(), 'is not a directory'],
	DirectoryOrCreate: [(s) => s.isDirectory(), 'is not a directory'],
	File: [(s) => s.isFile(), 'is not a file'],
	FileOrCreate: [(s) => s.isFile(), 'is not a file'],
	Socket: [(s) => s.isSocket(), 'is not a socket file'],
	CharDevice: [(s) => s.isCharacterDevice(), 'is not a character device'],
	BlockDevice: [(s) => s.isBlockDevice(), 'is not a block device'],
};

const MAKERS: Readonly<Record<string, (path: string) => Promise<void>>> = { DirectoryOrCreate: makeFolders, FileOrCreate: makeFile };

/** Linux' own bound (path_resolution(7)). */
const MAX_LINKS = 40;

export async function setUpHostPath({ path, type = '' }: HostPathVolumeSource): Promise<void> {
	if (path.split('/').includes('..')) throw new AppError('InvalidArgument', `invalid HostPath \`${path}\`: must not contain '..'`);
	if (type === '') return;
	const [fits, fault] = CHECKS[type] ?? [];
	if (fits === undefined) throw new AppError('InvalidArgument', `${type} is an invalid volume type`);
	let found = await look(path);
	const make = MAKERS[type];
	if (found === undefined && make !== undefined) {
		await make(path);
		// Somebody may have been faster.
		found = await look(path);
	}
	if (found === undefined || !fits(found)) throw new AppError('FailedPrecondition', `hostPath type check failed: ${path} ${fault}`);
}

function look(path: string): Promise<Stats | undefined> {
	return stat(path).catch(() => undefined);
}

async function makeFolders(path: string): Promise<void> {
	await makeFolder(path, 0o755).catch(unlessThere);
}

/** The folder of a file is not made. A link to nothing has the file made where it leads; what else is there stays unopened: a pipe would never open. */
async function makeFile(path: string, links = 0): Promise<void> {
	const made = await open(path, 'wx', 0o644).catch(unlessThere);
	if (made !== undefined) return made.close();
	if (links === MAX_LINKS || (await lstat(path)).isSymbolicLink() === false) return;
	const to = await readlink(path);
	await makeFile(to.startsWith('/') ? to : `${await realpath(dirname(path))}/${to}`, links + 1);
}

function unlessThere(error: NodeJS.ErrnoException): undefined {
	if (error.code !== 'EEXIST') throw error;
}
