/** The volumes of a pod: set up before its containers, refreshed while it runs. */
import type { CSIPersistentVolumeSource, Pod, Volume } from '../../api/gen/types.ts';
import { linked, withDeadline } from '../../base/abort.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { podEvent, type AgentContext } from '../context.ts';
import { isFull } from '../csi/allocatable.ts';
import { bring } from '../csi/bring.ts';
import { uniqueName } from '../csi/names.ts';
import { LabelConflict } from '../csi/selinux.ts';
import { sourceOfInline } from '../csi/source.ts';
import { tmpfsStaysInMemory } from '../../host/tmpfs.ts';
import { amountOf } from '../pod/amounts.ts';
import { volumeFolder, volumeReadyFile } from '../pod/folders.ts';
import { makePodFolder } from '../pod/make-folder.ts';
import { writeVolume } from './atomic-writer.ts';
import { claimedVolume, claimNameOf, type Claimed } from './claims.ts';
import { downwardFiles } from './downward-api.ts';
import { setUpEmptyDir, type EmptyDirBounds } from './empty-dir.ts';
import { step, VolumeFailure, VolumeLimitExceeded } from './failure.ts';
import { configMapFiles, DEFAULT_MODE, secretFiles, type VolumeFiles } from './files.ts';
import { pluginOf } from './figures.ts';
import { setUpHostPath } from './host-path.ts';
import { keepInMemory } from './in-memory.ts';
import { makeNestedMounts, nestedMounts } from './nested-mounts.ts';
import { mountNfs } from './nfs.ts';
import { setUpClaimed } from './persistent.ts';
import { projectedFiles } from './projected.ts';
import { refreshCsi } from '../csi/refresh.ts';
import type { VolumePath, VolumePaths } from './volume-path.ts';

export { tearDownVolumes } from './tear-down.ts';

export type { VolumePath, VolumePaths } from './volume-path.ts';

/** Upstream's, for all volumes of a pod; then it is said, and tried again. */
const MOST_WAIT_MS = 123_000;
/** Between looks at a claim that is not bound. */
const LOOK_MS = 100;
const MAX_LOOK_MS = 2000;

/** How far a volume is: its claim is looked at, it is being brought, or it is there. */
interface Progress {
	readonly processing: Set<string>;
	readonly bringing: Map<string, CSIPersistentVolumeSource | undefined>;
	readonly unmounted: Set<string>;
	/** Of claims' volumes, once they are known. */
	readonly plugins: Map<string, string>;
}

/** Idempotent: brings every volume of the pod here but images, waiting for what others do for it. Records why not and throws. */
export async function setUpVolumes(pod: Pod, context: AgentContext, signal: AbortSignal): Promise<VolumePaths> {
	const volumes = (pod.spec?.volumes ?? []).filter((v) => v.image === undefined);
	const progress: Progress = {
		processing: new Set(),
		bringing: new Map(),
		unmounted: new Set(volumes.map((v) => v.name)),
		plugins: new Map(),
	};
	using deadline = withDeadline(context.clock, MOST_WAIT_MS, 'Bringing volumes', signal);
	using round = linked(deadline.signal);
	let failure: { readonly error: unknown } | undefined;
	await makePodFolder(context.options.rootDir, pod.metadata.uid ?? '');
	const paths = await Promise.all(
		volumes.map(async (volume): Promise<readonly [string, VolumePath] | undefined> => {
			const from = context.clock.monotonic();
			const spent = (): number => (context.clock.monotonic() - from) / 1000;
			const plugin = (): string => progress.plugins.get(volume.name) ?? pluginOf(volume);
			try {
				const path = await setUp(pod, volume, context, progress, round.signal);
				progress.unmounted.delete(volume.name);
				context.figures.volumes.mounted(pod.metadata.uid ?? '', volume.name, plugin(), spent());
				return [volume.name, path];
			} catch (error) {
				if (!round.signal.aborted) context.figures.volumes.notMounted(plugin(), spent());
				// The others stop waiting; nothing goes on unseen.
				failure ??= { error };
				round.abort(error);
				return undefined;
			}
		}),
	);
	if (failure !== undefined) throw await told(pod, failure.error, progress, deadline.signal, context, signal);
	return new Map(paths.filter((p) => p !== undefined));
}

async function told(
	pod: Pod,
	error: unknown,
	progress: Progress,
	deadline: AbortSignal,
	context: AgentContext,
	signal: AbortSignal,
): Promise<unknown> {
	if (signal.aborted) return error;
	if (deadline.aborted) {
		const waited = waitingFor(progress, context, 'context deadline exceeded');
		for (const [, { driver, volumeHandle }] of unattachedOf(progress, context))
			if (await isFull(driver, volumeHandle, context, signal)) return new VolumeLimitExceeded(waited, error);
		const message = `Unable to attach or mount volumes: ${waited}`;
		podEvent(context, pod, 'Warning', 'FailedMount', message);
		return new AppError('DeadlineExceeded', message, { cause: error });
	}
	if (error instanceof LabelConflict) {
		progress.processing.add(error.volume);
		const message = `Unable to attach or mount volumes: ${waitingFor(progress, context, messageOf(error))}`;
		podEvent(context, pod, 'Warning', 'FailedMount', message);
		return new AppError('FailedPrecondition', message, { cause: error });
	}
	// What an expansion failed with is told where it failed, about the claim too.
	const event = error instanceof VolumeFailure ? error.event : 'FailedMount';
	if (event !== 'VolumeResizeFailed') podEvent(context, pod, 'Warning', event, messageOf(error));
	return new AppError('FailedPrecondition', messageOf(error), { cause: error });
}

function waitingFor(progress: Progress, context: AgentContext, why: string): string {
	const list = (names: Iterable<string>): string => `[${[...names].join(' ')}]`;
	const unattached = unattachedOf(progress, context).map(([volume]) => volume);
	return `unmounted volumes=${list(progress.unmounted)}, unattached volumes=${list(unattached)}, failed to process volumes=${list(progress.processing)}: ${why}`;
}

function unattachedOf({ bringing }: Progress, context: AgentContext): readonly (readonly [string, CSIPersistentVolumeSource])[] {
	const attached = (name: string): boolean => context.node()?.status?.volumesAttached?.some((v) => v.name === name) === true;
	return [...bringing].flatMap(([volume, csi]) => {
		if (csi === undefined) return [];
		const name = uniqueName(csi.driver, csi.volumeHandle);
		return context.csi.isUsed(name) && !attached(name) ? [[volume, csi]] : [];
	});
}

/** While the pod runs: files follow what they show, and drivers hear of new sizes and tokens. What fails of the latter leaves the pod as it is. */
export async function refreshVolumes(pod: Pod, context: AgentContext, signal: AbortSignal): Promise<void> {
	const whole = { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [] } };
	const isCsi = (v: Volume): boolean => v.csi !== undefined || claimNameOf(pod, v) !== undefined;
	const volumes = (pod.spec?.volumes ?? []).filter((v) => !isCsi(v));
	await setUpVolumes({ ...whole, spec: { ...whole.spec, volumes } }, { ...context, objects: context.followed }, signal);
	for (const volume of (pod.spec?.volumes ?? []).filter(isCsi)) await refreshCsi(pod, volume, context, signal);
}

async function setUp(pod: Pod, volume: Volume, context: AgentContext, progress: Progress, signal: AbortSignal): Promise<VolumePath> {
	// What is there is not asked for again: a container starts anew also while the API or the driver is away.
	const there = context.csi.placeOf(pod.metadata.uid ?? '', volume.name);
	if (there !== undefined) return there.given;
	if (claimNameOf(pod, volume) !== undefined) {
		const claimed = await bound(pod, volume, context, progress, signal);
		progress.bringing.set(volume.name, claimed.volume.spec?.csi);
		progress.plugins.set(volume.name, pluginOf(claimed.volume.spec ?? {}));
		return setUpClaimed(pod, volume, claimed, context, signal);
	}
	return step('MountVolume.SetUp', volume.name, 'FailedMount', signal, async () => {
		if (volume.csi !== undefined) return setUpInline(pod, volume, context, signal);
		context.csi.labels.admit({ pod, volume: volume.name, accessModes: undefined }, context.figures.labels);
		return { kind: 'folder', path: await setUpFolder(pod, volume, context, signal), readOnly: isReadOnly(volume) };
	});
}

/** Upstream mounts what shows objects of the API read-only, whatever the container asks for: who could write there would lead the agent, which is root. */
function isReadOnly({ configMap, secret, downwardAPI, projected, nfs }: Volume): boolean {
	return [configMap, secret, downwardAPI, projected].some((source) => source !== undefined) || nfs?.readOnly === true;
}

async function setUpInline(pod: Pod, volume: Volume, context: AgentContext, signal: AbortSignal): Promise<VolumePath> {
	const source = sourceOfInline(pod, volume);
	const { path } = await bring(pod, volume.name, source, context, signal);
	const given: VolumePath = { kind: 'folder', path };
	context.csi.note(pod.metadata.uid ?? '', volume.name, { path, source, claim: undefined, given });
	return given;
}

/** Waits until the claim is bound; says at once why it must wait. */
async function bound(pod: Pod, volume: Volume, context: AgentContext, progress: Progress, signal: AbortSignal): Promise<Claimed> {
	progress.processing.add(volume.name);
	for (let waitMs = LOOK_MS, said = ''; ; waitMs = Math.min(MAX_LOOK_MS, waitMs * 2)) {
		try {
			const claimed = await claimedVolume(pod, volume, true, context.client, signal);
			progress.processing.delete(volume.name);
			return claimed;
		} catch (error) {
			if (signal.aborted) throw error;
			const why = messageOf(error);
			if (why !== said)
				podEvent(context, pod, 'Warning', 'FailedMount', `Unable to attach or mount volumes: ${waitingFor(progress, context, why)}`);
			said = why;
		}
		await context.clock.sleep(waitMs, signal);
	}
}

async function setUpFolder(pod: Pod, volume: Volume, context: AgentContext, signal: AbortSignal): Promise<string> {
	const { uid = '', namespace = '' } = pod.metadata;
	const folder = (plugin: string): string => volumeFolder(context.options.rootDir, uid, plugin, volume.name);
	const fsGroup = pod.spec?.securityContext?.fsGroup;
	const bounds = async (): Promise<EmptyDirBounds> => ({
		allocatableBytes: amountOf(context.allocatable['memory'] ?? '0'),
		podBytes: context.groups.memoryLimit(pod),
		noswap: await tmpfsStaysInMemory(),
	});
	const inMemory = async (path: string, files: VolumeFiles): Promise<string> => {
		if (context.mounter !== undefined) await keepInMemory(path, pod, await bounds(), context.mounter);
		return write(path, files);
	};
	const write = async (path: string, files: VolumeFiles): Promise<string> => {
		await makeNestedMounts(path, nestedMounts(pod, volume.name));
		await writeVolume(path, files, fsGroup, context.clock.now());
		return path;
	};
	const { emptyDir, hostPath, configMap, secret, downwardAPI, projected } = volume;
	if (emptyDir !== undefined) {
		const ready = volumeReadyFile(context.options.rootDir, uid, 'empty-dir', volume.name);
		await setUpEmptyDir({ folder: folder('empty-dir'), ready }, pod, emptyDir, await bounds(), context.mounter);
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
		return inMemory(folder('secret'), secretFiles(`secret "${name}"`, object, secret, secret.defaultMode ?? DEFAULT_MODE));
	}
	if (downwardAPI !== undefined) {
		const fields = { pod, podIps: [], hostIps: context.options.nodeIps, allocatable: context.allocatable };
		return inMemory(folder('downward-api'), downwardFiles(downwardAPI.items ?? [], downwardAPI.defaultMode ?? DEFAULT_MODE, fields));
	}
	if (projected !== undefined) return inMemory(folder('projected'), await projectedFiles(pod, projected, context, signal));
	if (volume.nfs !== undefined) return mountNfs(folder('nfs'), volume.nfs, [], false);
	const kind = Object.keys(volume).find((key) => key !== 'name') ?? 'emptyDir';
	throw new AppError('Unimplemented', `no volume plugin matched: this node has none for "${kind}"`);
}
