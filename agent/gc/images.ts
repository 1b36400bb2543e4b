/** Which images go when the disk fills up. Pure; upstream's image garbage collection. */
import type { ImageInfo } from '../runtime/runtime.ts';

export interface ImageUse {
	readonly firstSeen: number;
	/** Undefined while no container of it has been seen. */
	readonly lastUsed: number | undefined;
}

export interface ImageDisk {
	readonly capacityBytes: number;
	readonly availableBytes: number;
}

/** Bytes to free so that the disk is down to the low mark (imageGCLowThresholdPercent); 0 below the high one. */
export function bytesToFree({ capacityBytes, availableBytes }: ImageDisk, high = 85, low = 80): number {
	if (capacityBytes <= 0 || usedPercent({ capacityBytes, availableBytes }) < high) return 0;
	return Math.max(0, (capacityBytes * (100 - low)) / 100 - availableBytes);
}

/** In whole percents, as upstream counts: what is left of one is used. */
export function usedPercent({ capacityBytes, availableBytes }: ImageDisk): number {
	return 100 - Math.floor((Math.min(availableBytes, capacityBytes) * 100) / capacityBytes);
}

/** "512 B", "1.5 GiB": upstream's formatSize. */
export function bytesText(bytes: number): string {
	const units = ['KiB', 'MiB', 'GiB', 'TiB'];
	if (bytes < 1024) return `${bytes} B`;
	const power = Math.min(units.length, Math.floor(Math.log2(bytes) / 10));
	return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1]}`;
}

/** Those that nothing has used for longer than an image may stay (imageMaximumGCAge). */
export function oldImages(
	images: readonly ImageInfo[],
	used: ReadonlySet<string>,
	uses: ReadonlyMap<string, ImageUse>,
	now: number,
	{ minAgeMs, maxAgeMs }: { readonly minAgeMs: number; readonly maxAgeMs: number },
): readonly ImageInfo[] {
	const idleMs = (image: ImageInfo): number => {
		const use = uses.get(image.id);
		return use === undefined ? 0 : now - (use.lastUsed ?? use.firstSeen);
	};
	return images.filter((i) => !i.pinned && !used.has(i.id) && idleMs(i) > Math.max(minAgeMs, maxAgeMs));
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
	minAgeMs = 120_000,
): readonly ImageInfo[] {
	const at = (image: ImageInfo): number => uses.get(image.id)?.lastUsed ?? 0;
	const seen = (image: ImageInfo): number => uses.get(image.id)?.firstSeen ?? now;
	const candidates = images
		.filter((i) => !i.pinned && !used.has(i.id) && now - seen(i) >= minAgeMs)
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
