/** ImageFsInfo: what images use on the engine's file system. */
import { fsStats } from '../../host/filesystem.ts';
import type { Handler } from '../context.ts';
import type { ImageSummary } from '../engine/types.ts';
import type { FilesystemUsage, ImageFsInfoRequest, ImageFsInfoResponse } from '../proto.ts';

/** Layers that images share count once for each: the engine's exact answer takes seconds. */
export const imageFsInfo: Handler<ImageFsInfoRequest, ImageFsInfoResponse> = async ({ engine, host, clock }, _request, signal) => {
	const [images, stats] = await Promise.all([
		engine.call<readonly ImageSummary[]>({ method: 'GET', path: '/images/json', signal }),
		fsStats(host.engineRoot).catch(() => undefined),
	]);
	const usage: FilesystemUsage = {
		timestamp: BigInt(clock.now()) * 1_000_000n,
		fsId: { mountpoint: host.engineRoot },
		usedBytes: { value: images.reduce((sum, image) => sum + BigInt(image.Size), 0n) },
		inodesUsed: { value: BigInt(stats?.inodesUsed ?? 0) },
	};
	return { imageFilesystems: [usage], containerFilesystems: [usage] };
};
