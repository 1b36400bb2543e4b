/** The volumes of a pod: set up before its containers, refreshed while it runs, taken down after. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod, Volume } from '../../api/gen/types.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { readMounts, unmount } from '../../host/mounts.ts';
import { podEvent, type AgentContext } from '../context.ts';
import { podFolder, volumeFolder } from '../pod/folders.ts';
import { writeVolume } from './atomic-writer.ts';
import { downwardFiles } from './downward-api.ts';
import { setUpEmptyDir } from './empty-dir.ts';
import { configMapFiles, DEFAULT_MODE, secretFiles, type VolumeFiles } from './files.ts';
import { setUpHostPath } from './host-path.ts';
import { projectedFiles } from './projected.ts';

/** Host paths by volume name. */
export type VolumePaths = ReadonlyMap<string, string>;

/** Idempotent: brings every volume of the pod up to date. Records FailedMount and throws when one fails. */
export async function setUpVolumes(pod: Pod, context: AgentContext, signal: AbortSignal): Promise<VolumePaths> {
	const paths = await Promise.all(
		(pod.spec?.volumes ?? []).map(async (volume): Promise<readonly [string, string]> => {
			try {
				return [volume.name, await setUp(pod, volume, context, signal)];
			} catch (error) {
				if (signal.aborted) throw error;
				const message = `MountVolume.SetUp failed for volume "${volume.name}" : ${messageOf(error)}`;
				podEvent(context, pod, 'Warning', 'FailedMount', message);
				throw new AppError('FailedPrecondition', message, { cause: error });
			}
		}),
	);
	return new Map(paths);
}

async function setUp(pod: Pod, volume: Volume, context: AgentContext, signal: AbortSignal): Promise<string> {
	const { uid = '', namespace = '' } = pod.metadata;
	const folder = (plugin: string): string => volumeFolder(context.options.rootDir, uid, plugin, volume.name);
	const fsGroup = pod.spec?.securityContext?.fsGroup;
	const write = async (path: string, files: VolumeFiles): Promise<string> => {
		await writeVolume(path, files, fsGroup, context.clock.now());
		return path;
	};
	const { emptyDir, hostPath, configMap, secret, downwardAPI, projected } = volume;
	if (emptyDir !== undefined) {
		await setUpEmptyDir(folder('empty-dir'), emptyDir, fsGroup);
		return folder('empty-dir');
	}
	if (hostPath !== undefined) {
		await setUpHostPath(hostPath);
		return hostPath.path;
	}
	if (configMap !== undefined) {
		const object = await context.objects.configMap(namespace, configMap.name ?? '', signal);
		return write(
			folder('configmap'),
			configMapFiles(`configmap "${configMap.name ?? ''}"`, object, configMap, configMap.defaultMode ?? DEFAULT_MODE),
		);
	}
	if (secret !== undefined) {
		const name = secret.secretName ?? '';
		const object = await context.objects.secret(namespace, name, signal);
		return write(folder('secret'), secretFiles(`secret "${name}"`, object, secret, secret.defaultMode ?? DEFAULT_MODE));
	}
	if (downwardAPI !== undefined) {
		const fields = { pod, podIps: [], hostIps: context.options.nodeIps, allocatable: context.allocatable };
		return write(folder('downward-api'), downwardFiles(downwardAPI.items ?? [], downwardAPI.defaultMode ?? DEFAULT_MODE, fields));
	}
	if (projected !== undefined) return write(folder('projected'), await projectedFiles(pod, projected, context, signal));
	const kind = Object.keys(volume).find((key) => key !== 'name') ?? 'emptyDir';
	throw new AppError('Unimplemented', `no volume plugin matched: this node has none for "${kind}"`);
}

/** Unmounts and removes all that the pod had on disk. */
export async function tearDownVolumes(uid: string, context: AgentContext): Promise<void> {
	const folder = podFolder(context.options.rootDir, uid);
	const below = (await readMounts()).filter((m) => m.path.startsWith(join(folder, '/')));
	for (const mount of below.toReversed()) await unmount(mount.path);
	await rm(folder, { recursive: true, force: true });
	context.tokens.forget(uid);
	context.followed.forget(uid);
}
