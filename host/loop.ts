/** Loop devices: files as block devices. Read from /sys, made and undone by util-linux's losetup. */
import { open, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ignoreErrno, messageOf } from '../base/errors.ts';
import { runCommand } from './command.ts';
import { readSmall } from './small-file.ts';

export interface LoopDevice {
	/** "/dev/loop0". */
	readonly path: string;
	/** major:minor, as the mount table names it. */
	readonly device: string;
	readonly backingFile: string;
	readonly readOnly: boolean;
	/** The kernel frees it with its last user: the way of mounted ones, and of what was detached while somebody had it open. */
	readonly autoclear: boolean;
	readonly sizeBytes: number;
}

const SECTOR = 512;
const SYS_BLOCK = '/sys/block';

/** All that have a file. The root can be given for recorded trees. */
export async function loopDevices(root: string = SYS_BLOCK): Promise<readonly LoopDevice[]> {
	const names = await readdir(root).catch(() => []);
	return names.flatMap((name) => (/^loop\d+$/.test(name) ? (loopDevice(name, root) ?? []) : []));
}

/** Of "loop0"; undefined where it has no file. */
export function loopDevice(name: string, root: string = SYS_BLOCK): LoopDevice | undefined {
	const backingFile = backingFileOf(name, root);
	if (backingFile === undefined) return undefined;
	const read = (file: string): string => readSmall(join(root, name, file))?.trim() ?? '';
	return {
		path: `/dev/${name}`,
		device: read('dev'),
		backingFile,
		readOnly: read('ro') === '1',
		autoclear: read('loop/autoclear') === '1',
		sizeBytes: Number(read('size')) * SECTOR,
	};
}

/** A device for the file; its path. Each call makes one more. */
export async function attachLoop(file: string, { readOnly = false } = {}): Promise<string> {
	const out = await runCommand('losetup', ['--find', '--show', ...(readOnly ? ['--read-only'] : []), '--', file]);
	return out.trim();
}

/**
 * Frees the device, or has the kernel do so once its last user is gone. Free already, as with the last mount of it, is success; one that is another
 * file's by now is left alone: while it is held open it cannot become that between the look and the end.
 */
export async function detachLoop({ path, backingFile }: Pick<LoopDevice, 'path' | 'backingFile'>): Promise<void> {
	await using held = await open(path, 'r').catch(ignoreErrno('ENXIO'));
	if (held === undefined || backingFileOf(basename(path)) !== backingFile) return;
	await runCommand('losetup', ['--detach', path]).catch((error: unknown) => {
		if (!/No such device or address/.test(messageOf(error))) throw error;
	});
}

/** The device takes the size that its file has now. */
export async function refreshLoopSize(device: string): Promise<void> {
	await runCommand('losetup', ['--set-capacity', device]);
}

/** Of "loop0"; undefined where it has none. */
export function backingFileOf(name: string, root: string = SYS_BLOCK): string | undefined {
	return readSmall(join(root, name, 'loop/backing_file'))?.replace(/\n$/, '');
}
