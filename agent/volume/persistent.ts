/** A claim's volume brought to a pod, whatever kind of PersistentVolume it is bound to. */
import { mkdir, stat } from 'node:fs/promises';
import type { PersistentVolume, Pod, Volume } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import { bindMount, mountAt, readMounts, setOwnOptions, unmount, type MountEntry } from '../../host/mounts.ts';
import { bring, publishedPath } from '../csi/bring.ts';
import { mountOptionsOf, sourceOfVolume, type CsiSource } from '../csi/source.ts';
import { podEvent, type AgentContext } from '../context.ts';
import { podsFolder, volumeFolder, volumeReadyFile } from '../pod/folders.ts';
import type { Claimed } from './claims.ts';
import { expandOnNode } from '../csi/expand.ts';
import { step } from './failure.ts';
import { setUpHostPath } from './host-path.ts';
import { mountNfs } from './nfs.ts';
import { setOwnership } from './ownership.ts';
import { isThere, markReady } from './ready.ts';
import type { VolumePath } from './volume-path.ts';

export async function setUpClaimed(
	pod: Pod,
	reference: Volume,
	claimed: Claimed,
	context: AgentContext,
	signal: AbortSignal,
): Promise<VolumePath> {
	const { spec, metadata } = claimed.volume;
	const readOnly = reference.persistentVolumeClaim?.readOnly === true;
	const note = (path: string, source: CsiSource | undefined, given: VolumePath): VolumePath => {
		context.csi.note(pod.metadata.uid ?? '', reference.name, { path, source, claim: claimed.claim.metadata.name, given });
		return given;
	};
	const kind = spec?.volumeMode === 'Block' ? 'device' : 'folder';
	if (spec?.csi !== undefined) {
		const source = sourceOfVolume(claimed.volume, readOnly);
		const { path, bringing } = await bring(pod, reference.name, source, context, signal);
		await expandOnNode(pod, claimed, bringing, path, context, signal);
		return note(publishedPath(pod, source, context), source, { kind, path, readOnly });
	}
	context.csi.labels.admit({ pod, volume: reference.name, accessModes: spec?.accessModes ?? [] }, context.figures.labels);
	const path = await step('MountVolume.SetUp', metadata.name ?? '', 'FailedMount', signal, () =>
		setUpOther(pod, claimed.volume, readOnly, context, signal),
	);
	return note(path, undefined, { kind, path, readOnly });
}

async function setUpOther(
	pod: Pod,
	volume: PersistentVolume,
	readOnly: boolean,
	context: AgentContext,
	signal: AbortSignal,
): Promise<string> {
	const { hostPath, local, nfs } = volume.spec ?? {};
	const folder = (plugin: string): string =>
		volumeFolder(context.options.rootDir, pod.metadata.uid ?? '', plugin, volume.metadata.name ?? '');
	if (hostPath !== undefined) {
		await setUpHostPath(hostPath);
		return hostPath.path;
	}
	if (nfs !== undefined) return mountNfs(folder('nfs'), nfs, mountOptionsOf(volume), readOnly);
	if (local !== undefined) {
		if (volume.spec?.volumeMode === 'Block') return local.path;
		const path = folder('local-volume');
		const ready = volumeReadyFile(context.options.rootDir, pod.metadata.uid ?? '', 'local-volume', volume.metadata.name ?? '');
		// Pods that start with it at the same time: to each the other would have been first.
		await context.csi.turns.run(`kubernetes.io/local-volume^${local.path}`, () =>
			setUpLocal(
				pod,
				volume,
				{ source: local.path, path, ready, options: [...mountOptionsOf(volume), ...(readOnly ? ['ro'] : [])] },
				context,
				signal,
			),
		);
		return path;
	}
	const kind = Object.keys(volume.spec ?? {}).find((key) => KINDS.has(key)) ?? 'unknown';
	throw new AppError('Unimplemented', `no volume plugin matched: this node has none for "${kind}"`);
}

interface LocalMount {
	readonly source: string;
	readonly path: string;
	/** The file that says that it has its group. */
	readonly ready: string;
	/** Those of bind mounts count. */
	readonly options: readonly string[];
}

/** A folder of the node at the pod's. */
async function setUpLocal(pod: Pod, volume: PersistentVolume, at: LocalMount, context: AgentContext, signal: AbortSignal): Promise<void> {
	const { source, path, ready, options } = at;
	const mounted = mountAt(await readMounts(), path) !== undefined;
	if (mounted && (await isThere(ready))) return;
	await mkdir(path, { recursive: true, mode: 0o750 });
	if (!mounted) await bindMount(source, path);
	try {
		await setOwnOptions(path, options);
		await setGroup(pod, volume, at, context, signal);
	} catch (error) {
		// Another pod would take it for one that has its group.
		if (!mounted) await unmount(path);
		throw error;
	}
	await markReady(ready);
}

/** Whose group a folder has is decided by the first pod that uses it. */
async function setGroup(
	pod: Pod,
	volume: PersistentVolume,
	{ source, path, options }: LocalMount,
	context: AgentContext,
	signal: AbortSignal,
): Promise<void> {
	const { fsGroup: group, fsGroupChangePolicy } = pod.spec?.securityContext ?? {};
	if (group === undefined) return;
	if (isShared(await readMounts(), path, podsFolder(context.options.rootDir))) {
		const { gid } = await stat(source);
		const message = `The requested fsGroup is ${group}, but the volume ${volume.metadata.name ?? ''} has GID ${gid}. The volume may not be shareable.`;
		if (gid !== group) podEvent(context, pod, 'Warning', 'AlreadyMountedVolume', message);
		return;
	}
	if (options.includes('ro')) return;
	const onMismatch = fsGroupChangePolicy === 'OnRootMismatch';
	const tell = (message: string): void => podEvent(context, pod, 'Warning', 'VolumePermissionChangeInProgress', message);
	await setOwnership({ path, group, readOnly: false, onMismatch, clock: context.clock, tell }, signal);
}

/** Pure: whether what is mounted at `path` is mounted in another place of the pods' folder, too. */
export function isShared(mounts: readonly MountEntry[], path: string, pods: string): boolean {
	const own = mountAt(mounts, path);
	return mounts.some((m) => m.path !== path && m.path.startsWith(`${pods}/`) && m.device === own?.device && m.root === own.root);
}

/** Of PersistentVolumes, that this node has no plugin for. */
const KINDS: ReadonlySet<string> = new Set([
	...['awsElasticBlockStore', 'azureDisk', 'azureFile', 'cephfs', 'cinder', 'fc', 'flexVolume', 'flocker', 'gcePersistentDisk'],
	...['glusterfs', 'iscsi', 'photonPersistentDisk', 'portworxVolume', 'quobyte', 'rbd', 'scaleIO', 'storageos', 'vsphereVolume'],
]);
