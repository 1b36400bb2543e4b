/** What the kernel can do for a file system in memory. */
import { readFile } from 'node:fs/promises';

/** Of `noswap` (tmpfs(5)); a namespace of users may not ask for it. */
const NOSWAP_SINCE: readonly [major: number, minor: number] = [6, 4];

let ofMachine: Promise<boolean> | undefined;

/** What is in a tmpfs can be kept from being swapped to disk. Looked at once. */
export function tmpfsStaysInMemory(): Promise<boolean> {
	ofMachine ??= Promise.all(
		['/proc/sys/kernel/osrelease', '/proc/self/uid_map'].map((path) => readFile(path, 'utf8').catch(() => '')),
	).then(([release = '', users = '']) => hasNoswap(release, users));
	return ofMachine;
}

/** Pure. @param release "6.8.0-45-generic" @param users as /proc/self/uid_map has them */
export function hasNoswap(release: string, users: string): boolean {
	const [, major = '0', minor = '0'] = /^(\d+)\.(\d+)/.exec(release) ?? [];
	const [since, sinceMinor] = NOSWAP_SINCE;
	const isNew = Number(major) > since || (Number(major) === since && Number(minor) >= sinceMinor);
	return isNew && /^\s*0\s+0\s+4294967295\s*$/.test(users);
}
