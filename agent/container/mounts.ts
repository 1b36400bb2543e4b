/** The mounts of a container: its volumes, the hosts file and the file for its last words. */
import { join } from 'node:path';
import type { Container, Pod } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import type { AgentContext } from '../context.ts';
import { expand } from '../pod/expansion.ts';
import { podFolder } from '../pod/folders.ts';
import type { Mount } from '../runtime/runtime.ts';
import { bindSubPath } from '../volume/sub-path.ts';
import type { VolumePaths } from '../volume/volumes.ts';
import { isRecursive, recursionFault } from './recursive-read-only.ts';
import { makeTerminationFile } from './termination-file.ts';

const HOSTS = '/etc/hosts';

/** @param recursive the runtime's handler can make mounts read-only all the way down */
export async function mountsOf(
	pod: Pod,
	container: Container,
	attempt: number,
	volumes: VolumePaths,
	env: ReadonlyMap<string, string>,
	recursive: boolean,
	context: AgentContext,
): Promise<readonly Mount[]> {
	const { uid = '' } = pod.metadata;
	const { rootDir } = context.options;
	const below = (path: string, name: string, subPath: string, index: number): Promise<string> =>
		bindSubPath({ rootDir, podUid: uid, volume: { name, path }, subPath, container: container.name, index });
	const mounts = await Promise.all(
		(container.volumeMounts ?? []).map(async (m, index): Promise<Mount> => {
			const volume = volumes.get(m.name);
			if (volume === undefined)
				throw new AppError('InvalidArgument', `cannot find volume "${m.name}" to mount into container "${container.name}"`);
			const fault = recursionFault(m, recursive);
			if (fault !== '') throw new AppError('InvalidArgument', fault);
			const subPath = m.subPathExpr === undefined ? (m.subPath ?? '') : expandSubPath(m.subPathExpr, env);
			const image = volume.kind === 'image' ? { image: { id: volume.image, subPath } } : {};
			const hostPath = volume.kind === 'image' ? '' : subPath === '' ? volume.path : await below(volume.path, m.name, subPath, index);
			return {
				containerPath: m.mountPath,
				hostPath,
				...image,
				readOnly: volume.kind === 'image' || (m.readOnly ?? false) || (volume.kind === 'folder' && volume.readOnly === true),
				recursiveReadOnly: isRecursive(m, recursive),
				propagation: (m.mountPropagation ?? 'None') as 'None' | 'HostToContainer' | 'Bidirectional',
			};
		}),
	);
	if (!mounts.some((m) => m.containerPath === HOSTS))
		mounts.push({ containerPath: HOSTS, hostPath: hostsPath(pod, rootDir), readOnly: false });
	const file = await makeTerminationFile(rootDir, uid, container.name, attempt);
	mounts.push({ containerPath: container.terminationMessagePath ?? '/dev/termination-log', hostPath: file, readOnly: false });
	return mounts;
}

export function hostsPath(pod: Pod, rootDir: string): string {
	return join(podFolder(rootDir, pod.metadata.uid ?? ''), 'etc-hosts');
}

/** AppError InvalidArgument names the variables that have no value. */
function expandSubPath(expression: string, env: ReadonlyMap<string, string>): string {
	const missing = new Set<string>();
	const path = expand(expression, (name) => {
		const value = env.get(name) ?? '';
		if (value === '') missing.add(name);
		return value;
	});
	if (missing.size > 0) throw new AppError('InvalidArgument', `missing value for ${[...missing].toSorted().join(', ')}`);
	return path;
}
