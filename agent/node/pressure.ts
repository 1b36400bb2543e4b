/** When the node is short of memory, disk or process ids. Pure, but for what the past adds. */
import type { FsStats } from '../../host/filesystem.ts';
import type { PidStats } from '../../host/pids.ts';

export interface Thresholds {
	readonly memoryAvailableBytes: number;
	readonly diskAvailableShare: number;
	/** Of the inodes; as the disk's share when absent. */
	readonly inodesFreeShare?: number;
}

export interface Signals {
	readonly memoryAvailableBytes: number;
	/** Of pods' folders and of images. */
	readonly disks: readonly Pick<FsStats, 'capacityBytes' | 'availableBytes' | 'inodes' | 'inodesFree'>[];
	readonly pids: PidStats;
}

export interface Pressure {
	readonly memory: boolean;
	readonly disk: boolean;
	readonly pid: boolean;
}

/** Upstream has no default for pid.available; so few are not enough to start a pod. */
const MIN_PIDS = 100;
/** Upstream's evictionPressureTransitionPeriod: a pressure is over once it has not been seen for so long. */
const TRANSITION_MS = 300_000;

export function pressureOf({ memoryAvailableBytes, disks, pids }: Signals, limits: Thresholds): Pressure {
	const inodesShare = limits.inodesFreeShare ?? limits.diskAvailableShare;
	return {
		memory: memoryAvailableBytes < limits.memoryAvailableBytes,
		disk: disks.some(
			// File systems without inodes count none.
			(d) => d.availableBytes < d.capacityBytes * limits.diskAvailableShare || (d.inodes > 0 && d.inodesFree < d.inodes * inodesShare),
		),
		pid: pids.limit > 0 && pids.limit - pids.running < MIN_PIDS,
	};
}

/** Remembers when each was seen last, so that conditions do not flap. */
export class PressureMemory {
	readonly #seen = new Map<keyof Pressure, number>();

	/** What holds, given what is seen now. */
	observe(pressure: Pressure, now: number): Pressure {
		const holds = (kind: keyof Pressure): boolean => {
			if (pressure[kind]) this.#seen.set(kind, now);
			const last = this.#seen.get(kind);
			return last !== undefined && now - last < TRANSITION_MS;
		};
		return { memory: holds('memory'), disk: holds('disk'), pid: holds('pid') };
	}
}
