/** hostPath: a path of the node, checked or made as its type says. */
import { mkdir, open, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import type { HostPathVolumeSource } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';

const CHECKS: Readonly<Record<string, readonly [(s: Stats) => boolean, string]>> = {
	Directory: [(s) => s.isDirectory(), 'is not a directory'],
	DirectoryOrCreate: [(s) => s.isDirectory(), 'is not a directory'],
	File: [(s) => s.isFile(), 'is not a file'],
	FileOrCreate: [(s) => s.isFile(), 'is not a file'],
	Socket: [(s) => s.isSocket(), 'is not a socket file'],
	CharDevice: [(s) => s.isCharacterDevice(), 'is not a character device'],
	BlockDevice: [(s) => s.isBlockDevice(), 'is not a block device'],
};

export async function setUpHostPath({ path, type = '' }: HostPathVolumeSource): Promise<void> {
	if (type === '') return;
	const info = await stat(path).catch(() => undefined);
	if (info === undefined && type === 'DirectoryOrCreate') return void (await mkdir(path, { recursive: true, mode: 0o755 }));
	// The folder of a file is not made.
	if (info === undefined && type === 'FileOrCreate') return (await open(path, 'a', 0o644)).close();
	const check = CHECKS[type];
	if (info === undefined || check?.[0](info) !== true)
		throw new AppError('FailedPrecondition', `hostPath type check failed: ${path} ${check?.[1] ?? `has the unknown type "${type}"`}`);
}
