/** What is left on the node, and what each pod uses: read when somebody asks. */
import { stat } from 'node:fs/promises';
import type { Pod } from '../../api/gen/types.ts';
import { diskUsage } from '../../host/disk-usage.ts';
import { fsStats } from '../../host/filesystem.ts';
import { memoryInfo } from '../../host/memory.ts';
import { pidStats } from '../../host/pids.ts';
import type { AgentContext } from '../context.ts';
import { containersOf } from '../pod/containers.ts';
import { podLogFolder, volumeFolder } from '../pod/folders.ts';
import type { PodUsage } from '../runtime/runtime.ts';
import { join } from 'node:path';
import type { Consumption, Disks } from './consumption.ts';
import type { Observation, Observations } from './observation.ts';
import type { Signal } from './threshold.ts';

export interface NodeMeasure {
	readonly seen: Observations;
	readonly disks: Disks;
}

/** @param allocatableMemory what pods together have left of their limit, where they have one */
export async function measureNode(
	rootDir: string,
	imageFolder: string | undefined,
	allocatableMemory: () => Observation | undefined,
): Promise<NodeMeasure> {
	const [memory, pids, nodefs, imagefs, apart] = await Promise.all([
		memoryInfo(),
		pidStats().catch(() => undefined),
		fsStats(rootDir).catch(() => undefined),
		imageFolder === undefined ? undefined : fsStats(imageFolder).catch(() => undefined),
		imageFolder === undefined ? false : onOtherDisk(rootDir, imageFolder),
	]);
	const seen = new Map<Signal, Observation>([['memory.available', { available: memory.availableBytes, capacity: memory.totalBytes }]]);
	const allocatable = allocatableMemory();
	if (allocatable !== undefined) seen.set('allocatableMemory.available', allocatable);
	if (pids !== undefined && pids.limit > 0) seen.set('pid.available', { available: pids.limit - pids.running, capacity: pids.limit });
	for (const [names, fs] of [
		[['nodefs'], nodefs],
		// Containers' layers are where the images are: a runtime that keeps them apart is none of those here.
		[['imagefs', 'containerfs'], imagefs],
	] as const)
		for (const name of names) {
			if (fs === undefined) continue;
			seen.set(`${name}.available`, { available: fs.availableBytes, capacity: fs.capacityBytes });
			// File systems without inodes count none.
			if (fs.inodes > 0) seen.set(`${name}.inodesFree`, { available: fs.inodesFree, capacity: fs.inodes });
		}
	return { seen, disks: { imagesApart: apart } };
}

async function onOtherDisk(a: string, b: string): Promise<boolean> {
	const [one, other] = await Promise.all([a, b].map((path) => stat(path).catch(() => undefined)));
	return one !== undefined && other !== undefined && one.dev !== other.dev;
}

/** What the pods use; disk is walked only where it is asked for. */
export async function measurePods(
	pods: readonly Pod[],
	{ options, runtime }: Pick<AgentContext, 'options' | 'runtime'>,
	disk: boolean,
	signal: AbortSignal,
): Promise<ReadonlyMap<string, Consumption>> {
	const usages = new Map((await runtime.usage(signal)).map((u) => [u.uid, u]));
	const found = new Map<string, Consumption>();
	for (const pod of pods) {
		const { uid = '' } = pod.metadata;
		const usage = usages.get(uid);
		if (usage === undefined && !disk) continue;
		found.set(uid, {
			memoryBytes: usage?.workingSetBytes,
			processes: usage?.processes,
			containers: await containersIn(pod, usage, options.podLogsDir, disk, signal),
			volumes: disk ? await volumesIn(pod, options.rootDir, signal) : [],
		});
	}
	return found;
}

async function containersIn(pod: Pod, usage: PodUsage | undefined, podLogsDir: string, disk: boolean, signal: AbortSignal) {
	const containers: Consumption['containers'][number][] = [];
	for (const { spec } of containersOf(pod)) {
		const own = usage?.containers.find((c) => c.name === spec.name);
		if (own === undefined && !disk) continue;
		const layer =
			own?.writableLayerBytes === undefined ? undefined : { bytes: own.writableLayerBytes, inodes: own.writableLayerInodes ?? 0 };
		const logs = disk ? await diskUsage(join(podLogFolder(podLogsDir, pod), spec.name), signal) : undefined;
		containers.push({ name: spec.name, memoryBytes: own?.workingSetBytes, layer, logs });
	}
	return containers;
}

async function volumesIn(pod: Pod, rootDir: string, signal: AbortSignal) {
	const volumes: Consumption['volumes'][number][] = [];
	for (const { name, emptyDir } of pod.spec?.volumes ?? []) {
		if (emptyDir === undefined) continue;
		const folder = volumeFolder(rootDir, pod.metadata.uid ?? '', 'empty-dir', name);
		volumes.push({ name, ...(await diskUsage(folder, signal)), inMemory: (emptyDir.medium ?? '') !== '' });
	}
	return volumes;
}
