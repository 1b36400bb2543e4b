/** Which images go when the disk fills up. Pure; upstream's image garbage collection. */
import type { ImageInfo } from '../runtime/runtime.ts';

export interface ImageUse {
	readonly firstSeen: number;
	/** Undefined while no container of it has been seen. */
	readonly lastUsed: number | undefined;
}

/** Upstream's imageGCHighThresholdPercent, imageGCLowThresholdPercent and imageMinimumGCAge. */
export const HIGH_PERCENT = 85;
export const LOW_PERCENT = 80;
const MIN_AGE_MS = 120_000;

export interface ImageDisk {
	readonly capacityBytes: number;
	readonly availableBytes: number;
}

/** Bytes to free so that the disk is down to the low mark; 0 below the high one. */
export function bytesToFree({ capacityBytes, availableBytes }: ImageDisk, high = HIGH_PERCENT, low = LOW_PERCENT): number {
	if (capacityBytes <= 0) return 0;
	const usedPercent = 100 - (availableBytes / capacityBytes) * 100;
	return usedPercent < high ? 0 : Math.max(0, (capacityBytes * (100 - low)) / 100 - availableBytes);
}

/**
 * The least recently used first, until enough is free. Pinned ones stay: the sandbox image, and on an engine that is the user's own
 * everything that this cluster did not pull.
 */
export function imagesToRemove(
	images: readonly ImageInfo[],
	used: ReadonlySet<string>,
	uses: ReadonlyMap<string, ImageUse>,
	freeBytes: number,
	now: number,
): readonly ImageInfo[] {
	const at = (image: ImageInfo): number => uses.get(image.id)?.lastUsed ?? 0;
	const seen = (image: ImageInfo): number => uses.get(image.id)?.firstSeen ?? now;
	const candidates = images
		.filter((i) => !i.pinned && !used.has(i.id) && now - seen(i) >= MIN_AGE_MS && now - at(i) >= MIN_AGE_MS)
		.toSorted((a, b) => at(a) - at(b) || seen(a) - seen(b));
	const chosen: ImageInfo[] = [];
	let freed = 0;
	for (const image of candidates) {
		if (freed >= freeBytes) break;
		chosen.push(image);
		freed += image.sizeBytes;
	}
	return chosen;
}
