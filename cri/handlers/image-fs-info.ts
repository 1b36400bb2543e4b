/** ImageFsInfo: what images use on the engine's file system. */
import { fsStats } from '../../host/filesystem.ts';
import type { Context, Handler } from '../context.ts';
import type { ImageSummary } from '../engine/types.ts';
import type { ImageUsage } from '../images/image-filesystem.ts';
import type { FilesystemUsage, ImageFsInfoRequest, ImageFsInfoResponse } from '../proto.ts';

export const imageFsInfo: Handler<ImageFsInfoRequest, ImageFsInfoResponse> = async (context, _request, signal) => {
	const { bytes, inodes } = (await context.imageFilesystem.usage()) ?? (await estimate(context, signal));
	const usage: FilesystemUsage = {
		timestamp: BigInt(context.clock.now()) * 1_000_000n,
		fsId: { mountpoint: context.host.engineRoot },
		usedBytes: { value: bytes },
		inodesUsed: { value: inodes },
	};
	return { imageFilesystems: [usage], containerFilesystems: [usage] };
};

/** From the list of images, where layers that images share count for each (the engine's exact answer takes seconds), and all inodes in use. */
async function estimate({ engine, host }: Context, signal: AbortSignal): Promise<ImageUsage> {
	const [images, stats] = await Promise.all([
		engine.call<readonly ImageSummary[]>({ method: 'GET', path: '/images/json', signal }),
		fsStats(host.engineRoot).catch(() => undefined),
	]);
	return { bytes: images.reduce((sum, image) => sum + BigInt(image.Size), 0n), inodes: BigInt(stats?.inodesUsed ?? 0) };
}
