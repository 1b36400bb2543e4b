/** The mount table, and mounting by the system's own `mount` and `umount`. */
import { readFile } from 'node:fs/promises';
import { AppError } from '../base/errors.ts';
import { runCommand } from './command.ts';
import { hasOptions, isOfMount, remountOptions } from './mount-options.ts';

/** One line of /proc/PID/mountinfo (proc(5)). */
export interface MountEntry {
	readonly id: number;
	readonly parent: number;
	/** major:minor. */
	readonly device: string;
	/** The folder of the file system that forms the root of this mount. */
	readonly root: string;
	readonly path: string;
	readonly options: readonly string[];
	readonly propagation: 'private' | 'shared' | 'slave' | 'sharedSlave' | 'unbindable';
	readonly type: string;
	readonly source: string;
	readonly superOptions: readonly string[];
}

/** Pure: mountinfo text, in mount order. Spaces and the like are octal escapes. */
export function parseMountInfo(text: string): readonly MountEntry[] {
	return text
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => {
			const fields = line.split(' ');
			const dash = fields.indexOf('-', 6);
			const tags = fields.slice(6, dash);
			return {
				id: Number(fields[0]),
				parent: Number(fields[1]),
				device: fields[2] ?? '',
				root: unescape(fields[3] ?? ''),
				path: unescape(fields[4] ?? ''),
				options: (fields[5] ?? '').split(','),
				propagation: propagationOf(tags),
				type: fields[dash + 1] ?? '',
				source: unescape(fields[dash + 2] ?? ''),
				superOptions: (fields[dash + 3] ?? '').split(','),
			};
		});
}

export async function readMounts(): Promise<readonly MountEntry[]> {
	return parseMountInfo(await readFile('/proc/self/mountinfo', 'utf8'));
}

/** The topmost mount at exactly this path. */
export function mountAt(mounts: readonly MountEntry[], path: string): MountEntry | undefined {
	return mounts.findLast((m) => m.path === path);
}

export interface MountOptions {
	readonly type?: string;
	readonly options?: readonly string[];
	/** Paths go to the kernel as they are given: for those of open descriptors. */
	readonly asIs?: boolean;
}

export async function mount(source: string, target: string, { type, options = [], asIs = false }: MountOptions = {}): Promise<void> {
	const args = [
		...(asIs ? ['--no-canonicalize'] : []),
		...(type === undefined ? [] : ['-t', type]),
		...(options.length === 0 ? [] : ['-o', options.join(',')]),
		'--',
		source,
		target,
	];
	await execute('mount', args, `Cannot mount "${source}" at "${target}"`);
}

/** A bind mount; read-only takes a second step, since the kernel ignores `ro` on the first. */
export async function bindMount(source: string, target: string, { readOnly = false, recursive = false } = {}): Promise<void> {
	await mount(source, target, { options: [recursive ? 'rbind' : 'bind'] });
	if (readOnly) await mount(source, target, { options: ['remount', 'bind', 'ro'] });
}

/** Gives the mount options of its own, beside those it has. What only file systems are told is left out, as the kernel does with bind mounts. */
export async function setOwnOptions(target: string, options: readonly string[]): Promise<void> {
	const own = options.filter(isOfMount);
	const shown = mountAt(await readMounts(), target)?.options ?? [];
	if (own.length > 0 && !hasOptions(shown, own)) await mount(target, target, { options: remountOptions(shown, own) });
}

/**
 * A bind mount of what this process has open under the descriptor, wherever its name leads by now. The kernel itself goes from the descriptor to the
 * file: `mount` is kept from looking at the path.
 */
export async function bindDescriptor(fd: number, target: string): Promise<void> {
	await mount(`/proc/${process.pid}/fd/${fd}`, target, { options: ['bind'], asIs: true });
}

/** Unmounts; not mounted is success. */
export async function unmount(target: string, { lazy = false } = {}): Promise<void> {
	if (mountAt(await readMounts(), target) !== undefined) await unmountTopmost(target, { lazy });
}

/** For who knows that something is mounted there. */
export async function unmountTopmost(target: string, { lazy = false } = {}): Promise<void> {
	await execute('umount', [...(lazy ? ['-l'] : []), '--', target], `Cannot unmount "${target}"`);
}

async function execute(command: string, args: readonly string[], what: string): Promise<void> {
	await runCommand(command, args).catch((cause: Error) => {
		throw new AppError('Internal', `${what}: ${cause.message}`, { cause });
	});
}

function propagationOf(tags: readonly string[]): MountEntry['propagation'] {
	const shared = tags.some((t) => t.startsWith('shared:'));
	const slave = tags.some((t) => t.startsWith('master:'));
	if (shared) return slave ? 'sharedSlave' : 'shared';
	if (slave) return 'slave';
	return tags.includes('unbindable') ? 'unbindable' : 'private';
}

function unescape(text: string): string {
	return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
