/** A claim's volume brought to a pod, whatever kind of PersistentVolume it is bound to. */
import { mkdir, stat } from 'node:fs/promises';
import type { PersistentVolume, Pod, Volume } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import { bindMount, mountAt, readMounts, type MountEntry } from '../../host/mounts.ts';
import { bring, publishedPath } from '../csi/bring.ts';
import { mountOptionsOf, sourceOfVolume, type CsiSource } from '../csi/source.ts';
import { podEvent, type AgentContext } from '../context.ts';
import { volumeFolder } from '../pod/folders.ts';
import type { Claimed } from './claims.ts';
import { expandOnNode } from '../csi/expand.ts';
import { step } from './failure.ts';
import { setUpHostPath } from './host-path.ts';
import { mountNfs } from './nfs.ts';
import { setOwnership } from './ownership.ts';
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
		const { path, bringing } = await bring(pod, source, context, signal);
		await expandOnNode(pod, claimed, bringing, path, context, signal);
		return note(publishedPath(pod, source, context), source, { kind, path, readOnly });
	}
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
		await setUpLocal(pod, volume, { source: local.path, path, readOnly }, context, signal);
		return path;
	}
	const kind = Object.keys(volume.spec ?? {}).find((key) => KINDS.has(key)) ?? 'unknown';
	throw new AppError('Unimplemented', `no volume plugin matched: this node has none for "${kind}"`);
}

interface LocalMount {
	readonly source: string;
	readonly path: string;
	readonly readOnly: boolean;
}

/** A folder of the node at the pod's; whose group it has is decided by the first pod that uses it. */
async function setUpLocal(pod: Pod, volume: PersistentVolume, at: LocalMount, context: AgentContext, signal: AbortSignal): Promise<void> {
	const { source, path, readOnly } = at;
	const { fsGroup: group, fsGroupChangePolicy } = pod.spec?.securityContext ?? {};
	await mkdir(path, { recursive: true, mode: 0o750 });
	if (mountAt(await readMounts(), path) !== undefined) return;
	await bindMount(source, path, { readOnly });
	if (group === undefined) return;
	if (isShared(await readMounts(), path, source)) {
		const { gid } = await stat(source);
		const message = `The requested fsGroup is ${group}, but the volume ${volume.metadata.name ?? ''} has GID ${gid}. The volume may not be shareable.`;
		if (gid !== group) podEvent(context, pod, 'Warning', 'AlreadyMountedVolume', message);
		return;
	}
	if (readOnly) return;
	const onMismatch = fsGroupChangePolicy === 'OnRootMismatch';
	const tell = (message: string): void => podEvent(context, pod, 'Warning', 'VolumePermissionChangeInProgress', message);
	await setOwnership({ path, group, readOnly: false, onMismatch, clock: context.clock, tell }, signal);
}

/** Pure: whether what is mounted at `path` is mounted elsewhere, too, but at its source. */
export function isShared(mounts: readonly MountEntry[], path: string, source: string): boolean {
	const own = mountAt(mounts, path);
	return mounts.some((m) => m.path !== path && m.path !== source && m.device === own?.device && m.root === own.root);
}

/** Of PersistentVolumes, that this node has no plugin for. */
const KINDS: ReadonlySet<string> = new Set([
	...['awsElasticBlockStore', 'azureDisk', 'azureFile', 'cephfs', 'cinder', 'fc', 'flexVolume', 'flocker', 'gcePersistentDisk'],
	...['glusterfs', 'iscsi', 'photonPersistentDisk', 'portworxVolume', 'quobyte', 'rbd', 'scaleIO', 'storageos', 'vsphereVolume'],
]);
