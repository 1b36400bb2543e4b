/** NFS, where the kernel has it: the share mounted for the pod by the system's mount. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NFSVolumeSource } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import { mount, mountAt, readMounts } from '../../host/mounts.ts';

export async function mountNfs(folder: string, share: NFSVolumeSource, options: readonly string[], onlyRead: boolean): Promise<string> {
	await mkdir(folder, { recursive: true, mode: 0o750 });
	if (mountAt(await readMounts(), folder) !== undefined) return folder;
	if (!(await hasNfs())) throw new AppError('FailedPrecondition', 'this kernel has no NFS');
	await mount(sourceOf(share), folder, { type: 'nfs', options: [...options, ...(share.readOnly === true || onlyRead ? ['ro'] : [])] });
	return folder;
}

/** Pure: an address of IPv6 is told from its path by brackets. */
export function sourceOf({ server, path }: NFSVolumeSource): string {
	const host = server.includes(':') && !server.startsWith('[') ? `[${server}]` : server;
	return `${host}:${path}`;
}

/** A module that is not loaded yet is found by mount.nfs itself. */
export async function hasNfs(proc = '/proc', modulesDir = '/lib/modules'): Promise<boolean> {
	const known = await readFile(join(proc, 'filesystems'), 'utf8').catch(() => '');
	if (/\bnfs4?\b/.test(known)) return true;
	const release = await readFile(join(proc, 'sys/kernel/osrelease'), 'utf8').catch(() => '');
	const modules = await readFile(join(modulesDir, release.trim(), 'modules.dep'), 'utf8').catch(() => '');
	return /\/nfs\.ko/.test(modules);
}
