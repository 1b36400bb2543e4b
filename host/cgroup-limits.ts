/** Limits written into control groups by name: huge pages of both versions, and any file of version 2. */
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../base/errors.ts';
import type { CgroupPaths } from './cgroups.ts';

export interface CgroupLimits {
	/** "2MB" and bytes. */
	readonly hugepages: readonly { readonly pageSize: string; readonly bytes: bigint }[];
	/** Files of version 2 ("memory.high") and what stands in them. */
	readonly unified: Readonly<Record<string, string>>;
}

const PAGE_SIZE = /^[1-9][0-9]*[KMG]B$/;
/** No file of a group has a slash; `cgroup.*` would move processes or freeze them. */
const UNIFIED_KEY = /^(?!cgroup\.)[a-z][a-z0-9_]*\.[a-zA-Z0-9_.]+$/;

export function hasLimits({ hugepages, unified }: CgroupLimits): boolean {
	return hugepages.length > 0 || Object.keys(unified).length > 0;
}

/** Pure. Throws InvalidArgument for what no group could have. */
export function checkLimits({ hugepages, unified }: CgroupLimits, version: 1 | 2): void {
	for (const { pageSize } of hugepages)
		if (!PAGE_SIZE.test(pageSize)) throw new AppError('InvalidArgument', `"${pageSize}" is no size of huge pages`);
	const keys = Object.keys(unified);
	for (const key of keys) if (!UNIFIED_KEY.test(key)) throw new AppError('InvalidArgument', `"${key}" is no limit of a control group`);
	if (keys.length > 0 && version === 1)
		throw new AppError('InvalidArgument', `Cannot set "${keys[0]}": this host has control groups of version 1`);
}

/** Writes them. Huge pages are left out where the host does not account for pages of that size, as other runtimes do. */
export async function writeLimits(groups: CgroupPaths, limits: CgroupLimits): Promise<void> {
	checkLimits(limits, groups.version);
	for (const { pageSize, bytes } of limits.hugepages) {
		const path =
			groups.version === 2
				? join(groups.path, `hugetlb.${pageSize}.max`)
				: join(groups.paths['hugetlb'] ?? '/nowhere', `hugetlb.${pageSize}.limit_in_bytes`);
		if (await exists(path)) await write(path, String(bytes));
	}
	if (groups.version === 2) for (const [key, value] of Object.entries(limits.unified)) await write(join(groups.path, key), value);
}

async function write(path: string, value: string): Promise<void> {
	await writeFile(path, value, { flag: 'r+' }).catch((cause: NodeJS.ErrnoException) => {
		const code = cause.code === 'EINVAL' || cause.code === 'ENOENT' || cause.code === 'ERANGE' ? 'InvalidArgument' : 'Internal';
		throw new AppError(code, `Cannot set "${path}" to "${value}": ${cause.message}`, { cause });
	});
}

async function exists(path: string): Promise<boolean> {
	return access(path).then(
		() => true,
		() => false,
	);
}
