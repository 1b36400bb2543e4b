/** The mounts of a container: its volumes, the hosts file and the file for its last words. */
import { chmod, mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { Container, Pod } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import type { AgentContext } from '../context.ts';
import { expand } from '../pod/expansion.ts';
import { podFolder, terminationFile } from '../pod/folders.ts';
import type { Mount } from '../runtime/runtime.ts';
import type { VolumePaths } from '../volume/volumes.ts';

const HOSTS = '/etc/hosts';

export async function mountsOf(
	pod: Pod,
	container: Container,
	attempt: number,
	volumes: VolumePaths,
	env: ReadonlyMap<string, string>,
	context: AgentContext,
): Promise<readonly Mount[]> {
	const { uid = '' } = pod.metadata;
	const { rootDir } = context.options;
	const mounts = await Promise.all(
		(container.volumeMounts ?? []).map(async (m): Promise<Mount> => {
			const volume = volumes.get(m.name);
			if (volume === undefined)
				throw new AppError('InvalidArgument', `cannot find volume "${m.name}" to mount into container "${container.name}"`);
			const subPath = m.subPathExpr === undefined ? (m.subPath ?? '') : expand(m.subPathExpr, (n) => env.get(n));
			const image = volume.kind === 'image' ? { image: { id: volume.image, subPath } } : {};
			const hostPath = volume.kind === 'image' ? '' : subPath === '' ? volume.path : await within(volume.path, subPath, m.name);
			return {
				containerPath: m.mountPath,
				hostPath,
				...image,
				readOnly: volume.kind === 'image' || (m.readOnly ?? false) || (volume.kind === 'folder' && volume.readOnly === true),
				recursiveReadOnly: m.recursiveReadOnly === 'Enabled' || m.recursiveReadOnly === 'IfPossible',
				propagation: (m.mountPropagation ?? 'None') as 'None' | 'HostToContainer' | 'Bidirectional',
			};
		}),
	);
	if (!mounts.some((m) => m.containerPath === HOSTS))
		mounts.push({ containerPath: HOSTS, hostPath: hostsPath(pod, rootDir), readOnly: false });
	const file = terminationFile(rootDir, uid, container.name, attempt);
	await mkdir(dirname(file), { recursive: true });
	await writeFile(file, '');
	// The container's user, whoever it is, writes here.
	await chmod(file, 0o666);
	mounts.push({ containerPath: container.terminationMessagePath ?? '/dev/termination-log', hostPath: file, readOnly: false });
	return mounts;
}

export function hostsPath(pod: Pod, rootDir: string): string {
	return join(podFolder(rootDir, pod.metadata.uid ?? ''), 'etc-hosts');
}

/** A path below the volume, made if it is not there; links may not lead outside. */
async function within(volume: string, subPath: string, name: string): Promise<string> {
	if (isAbsolute(subPath) || subPath.split('/').includes('..'))
		throw new AppError('InvalidArgument', `subPath "${subPath}" of volume "${name}" must be relative and without ".."`);
	const target = join(volume, subPath);
	const root = await realpath(volume);
	let real = await realpath(target).catch(() => undefined);
	if (real === undefined) {
		const parent = await firstExisting(dirname(target));
		if (!inside(parent, root)) throw outside(subPath, name);
		await mkdir(target, { recursive: true, mode: 0o750 });
		real = await realpath(target);
	}
	if (!inside(real, root)) throw outside(subPath, name);
	return real;
}

async function firstExisting(path: string): Promise<string> {
	return (await realpath(path).catch(() => undefined)) ?? (await firstExisting(dirname(path)));
}

function inside(path: string, root: string): boolean {
	return path === root || path.startsWith(`${root}/`) || root === '/';
}

function outside(subPath: string, name: string): AppError {
	return new AppError('PermissionDenied', `subPath "${subPath}" leads outside volume "${name}"`);
}
