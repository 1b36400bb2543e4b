/** What a driver tells of a volume: space, inodes, and whether it is well. */
import { CALL_MS, can } from './drivers.ts';
import type { AgentContext } from '../context.ts';
import type { VolumePlace } from './csi-volumes.ts';
import { stagingPath } from './mount.ts';
import { blockPaths } from './names.ts';
import { VolumeUsage_Unit as Unit, type NodeGetVolumeStatsResponse } from '../../wire/gen/csi.ts';

export interface DriverFigures {
	readonly capacityBytes?: number | undefined;
	readonly availableBytes?: number | undefined;
	readonly usedBytes?: number | undefined;
	readonly inodes?: number | undefined;
	readonly inodesFree?: number | undefined;
	readonly inodesUsed?: number | undefined;
	/** Undefined where the driver does not say. */
	readonly abnormal?: boolean | undefined;
	readonly message?: string | undefined;
}

/** Undefined for a driver that does not say, or is not here. */
export async function driverFigures(
	place: VolumePlace,
	podUid: string,
	context: AgentContext,
	signal: AbortSignal,
): Promise<DriverFigures | undefined> {
	const { source, path } = place;
	if (source === undefined || !context.csi.drivers.has(source.driver)) return undefined;
	const driver = context.csi.drivers.get(source.driver);
	if (!can(driver, 'GET_VOLUME_STATS')) return undefined;
	const staging = source.block ? blockPaths(context.options.rootDir, podUid, source.specName).staging : stagingPath(source, context);
	const request = {
		volumeId: source.handle,
		volumePath: path,
		stagingTargetPath: can(driver, 'STAGE_UNSTAGE_VOLUME') && source.lifecycle === 'Persistent' ? staging : '',
	};
	return figuresOf(await driver.node.nodeGetVolumeStats(request, { timeoutMs: CALL_MS, signal }));
}

/** Pure. */
export function figuresOf({ usage, volumeCondition }: NodeGetVolumeStatsResponse): DriverFigures {
	const bytes = usage.find((u) => u.unit === Unit.BYTES);
	const inodes = usage.find((u) => u.unit === Unit.INODES);
	return {
		...(bytes === undefined
			? {}
			: { capacityBytes: Number(bytes.total), availableBytes: Number(bytes.available), usedBytes: Number(bytes.used) }),
		...(inodes === undefined
			? {}
			: { inodes: Number(inodes.total), inodesFree: Number(inodes.available), inodesUsed: Number(inodes.used) }),
		...(volumeCondition === undefined ? {} : { abnormal: volumeCondition.abnormal, message: volumeCondition.message }),
	};
}
