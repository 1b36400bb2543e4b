/** What a pod uses of what can run short, and what it asked for. Pure. */
import type { Pod } from '../../api/gen/types.ts';
import { podRequests } from '../../api/pod/resources.ts';
import type { DiskUsage } from '../../host/disk-usage.ts';
import type { Starved } from './observation.ts';
import type { Signal } from './threshold.ts';

export interface ContainerConsumption {
	readonly name: string;
	readonly memoryBytes: number | undefined;
	readonly layer: DiskUsage | undefined;
	readonly logs: DiskUsage | undefined;
}

export interface VolumeConsumption extends DiskUsage {
	readonly name: string;
	/** A tmpfs: memory and not disk. */
	readonly inMemory: boolean;
}

export interface Consumption {
	readonly memoryBytes: number | undefined;
	readonly processes: number | undefined;
	readonly containers: readonly ContainerConsumption[];
	/** Of the pod's own volumes, those that hold data on this node. */
	readonly volumes: readonly VolumeConsumption[];
}

/** Whose disks the signals are about. */
export interface Disks {
	/** Images and layers are on a file system of their own. */
	readonly imagesApart: boolean;
}

/** The parts of a pod that fill the file system of a signal. */
export function partsOf(signal: Signal, { imagesApart }: Disks): { readonly layers: boolean; readonly rest: boolean } {
	if (!imagesApart) return { layers: true, rest: true };
	return signal.startsWith('nodefs') ? { layers: false, rest: true } : { layers: true, rest: false };
}

export function diskUse(use: Consumption, signal: Signal, disks: Disks): DiskUsage {
	const { layers, rest } = partsOf(signal, disks);
	const parts: readonly (DiskUsage | undefined)[] = [
		...(layers ? use.containers.map((c) => c.layer) : []),
		...(rest ? use.containers.map((c) => c.logs) : []),
		...(rest ? use.volumes.filter((v) => !v.inMemory) : []),
	];
	return sum(parts);
}

export function sum(parts: readonly (DiskUsage | undefined)[]): DiskUsage {
	let [bytes, inodes] = [0, 0];
	for (const part of parts) {
		bytes += part?.bytes ?? 0;
		inodes += part?.inodes ?? 0;
	}
	return { bytes, inodes };
}

/** What the pod asked for, overhead included. Nobody asks for inodes or processes. */
export function requestOf(pod: Pod, starved: Starved): number {
	return Number(podRequests(pod).get(starved)?.nano ?? 0n) / 1e9;
}
