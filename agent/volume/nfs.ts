/** NFS, where the kernel has it: the share mounted for the pod by the system's mount. */
import { mkdir, readFile } from 'node:fs/promises';
import type { NFSVolumeSource } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import { mount, mountAt, readMounts } from '../../host/mounts.ts';

export async function mountNfs(
	folder: string,
	{ server, path, readOnly = false }: NFSVolumeSource,
	options: readonly string[],
	onlyRead: boolean,
): Promise<string> {
	await mkdir(folder, { recursive: true, mode: 0o750 });
	if (mountAt(await readMounts(), folder) !== undefined) return folder;
	if (!(await hasNfs())) throw new AppError('FailedPrecondition', 'this kernel has no NFS');
	// An address of IPv6 is told from its path by brackets.
	const host = server.includes(':') && !server.startsWith('[') ? `[${server}]` : server;
	await mount(`${host}:${path}`, folder, { type: 'nfs', options: [...options, ...(readOnly || onlyRead ? ['ro'] : [])] });
	return folder;
}

/** A module that is not loaded yet is found by mount.nfs itself. */
async function hasNfs(): Promise<boolean> {
	const known = await readFile('/proc/filesystems', 'utf8').catch(() => '');
	if (/\bnfs4?\b/.test(known)) return true;
	const release = await readFile('/proc/sys/kernel/osrelease', 'utf8').catch(() => '');
	const modules = await readFile(`/lib/modules/${release.trim()}/modules.dep`, 'utf8').catch(() => '');
	return /\/nfs\.ko/.test(modules);
}
