/** Removes images that nothing uses: those too old, as many as a full disk needs, or all when the node is short of disk. */
import { fsStats } from '../../host/filesystem.ts';
import { aggregated } from '../../base/aggregate.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { settingsIn } from '../config/settings.ts';
import type { AgentContext } from '../context.ts';
import { goSeconds } from '../pod/backoff.ts';
import type { ImageInfo } from '../runtime/runtime.ts';
import { bytesText, bytesToFree, imagesToRemove, oldImages, usedPercent, type ImageDisk, type ImageUse } from './images.ts';

/** An event about the node. */
export type NodeEvent = (type: 'Warning', reason: string, message: string) => void;

type CollectorContext = Pick<AgentContext, 'runtime' | 'clock' | 'log' | 'options' | 'figures'>;

interface Looked {
	readonly images: readonly ImageInfo[];
	readonly used: ReadonlySet<string>;
	readonly now: number;
	readonly minAgeMs: number;
}

export class ImageCollector {
	readonly #context: CollectorContext;
	readonly #event: NodeEvent;
	readonly #uses = new Map<string, ImageUse>();
	readonly #since: number;

	constructor(context: CollectorContext, event: NodeEvent) {
		this.#context = context;
		this.#event = event;
		this.#since = context.clock.now();
	}

	/** @param disk of the images; measured when absent */
	async collect(signal: AbortSignal, disk?: ImageDisk): Promise<void> {
		const { runtime, options } = this.#context;
		const limits = settingsIn(options).images;
		const looked = await this.#look(signal);
		const { now } = looked;
		// Before the agent has watched for so long it cannot know what was used.
		const old =
			limits.maxAgeMs > 0 && now - this.#since > limits.maxAgeMs ? oldImages(looked.images, looked.used, this.#uses, now, limits) : [];
		const aged = await this.#remove(old, 'age', signal);
		const { maxAgeMs } = limits;
		if (aged.failed.length > 0)
			throw failure(`wanted to free images older than ${goSeconds(maxAgeMs)}, encountered errors in image deletion`, aged.failed);
		const folder = disk === undefined ? await runtime.imageFolder(signal) : undefined;
		const measured = disk ?? (folder === undefined ? undefined : await fsStats(folder).catch(() => undefined));
		if (measured === undefined) return;
		if (measured.capacityBytes <= 0) throw this.#failed('InvalidDiskCapacity', 'invalid capacity 0 on image filesystem');
		const wanted = Math.floor(bytesToFree(measured, limits.highPercent, limits.lowPercent));
		if (wanted === 0) return;
		const candidates = this.#unused({ ...looked, images: looked.images.filter((i) => !old.includes(i)) });
		const { bytes, failed } = await this.#remove(candidates, 'space', signal, wanted);
		if (failed.length > 0)
			throw failure(`wanted to free ${wanted} bytes, but freed ${bytes} bytes space with errors in image deletion`, failed);
		if (bytes >= wanted) return;
		throw this.#failed(
			'FreeDiskSpaceFailed',
			`Insufficient free disk space on the node's image filesystem (${usedPercent(measured)}% of ${bytesText(measured.capacityBytes)} used). ` +
				`Failed to free sufficient space by deleting unused images (freed ${bytes} bytes). ` +
				'Investigate disk usage, as it could be used by active images, logs, volumes, or other data.',
		);
	}

	/** Everything that is not used; the bytes that went. */
	async removeUnused(signal: AbortSignal): Promise<number> {
		const { bytes, failed } = await this.#remove(this.#unused(await this.#look(signal)), 'space', signal);
		if (failed.length > 0) throw failure(`freed ${bytes} bytes space with errors in image deletion`, failed);
		return bytes;
	}

	#failed(reason: string, message: string): AppError {
		this.#event('Warning', reason, message);
		return new AppError('Internal', message);
	}

	/** In the order in which they go. */
	#unused({ images, used, now, minAgeMs }: Looked): readonly ImageInfo[] {
		return imagesToRemove(images, used, this.#uses, Number.POSITIVE_INFINITY, now, minAgeMs);
	}

	async #look(signal: AbortSignal): Promise<Looked> {
		const { runtime, clock, options } = this.#context;
		const [images, pods] = await Promise.all([runtime.images(signal), runtime.pods(signal)]);
		const used = new Set(pods.flatMap((p) => p.containers.flatMap(({ imageId, volumeImages = [] }) => [imageId, ...volumeImages])));
		const now = clock.now();
		for (const { id } of images) {
			const before = this.#uses.get(id);
			this.#uses.set(id, { firstSeen: before?.firstSeen ?? now, lastUsed: used.has(id) ? now : before?.lastUsed });
		}
		for (const id of this.#uses.keys()) if (!images.some((i) => i.id === id)) this.#uses.delete(id);
		return { images, used, now, minAgeMs: settingsIn(options).images.minAgeMs };
	}

	/** One after the other until so much is free; one that cannot be removed keeps no other. */
	async #remove(
		images: readonly ImageInfo[],
		reason: 'age' | 'space',
		signal: AbortSignal,
		wanted = Number.POSITIVE_INFINITY,
	): Promise<Removed> {
		const { runtime, log, figures } = this.#context;
		const failed: unknown[] = [];
		let bytes = 0;
		for (const image of images) {
			if (bytes >= wanted) break;
			try {
				await runtime.removeImage(image.id, signal);
			} catch (error) {
				signal.throwIfAborted();
				failed.push(error);
				continue;
			}
			bytes += image.sizeBytes;
			this.#uses.delete(image.id);
			figures.imagesCollected.inc({ reason });
			log.info('removed an unused image', { image: image.tags[0] ?? image.id, sizeBytes: image.sizeBytes });
		}
		return { bytes, failed };
	}
}

interface Removed {
	readonly bytes: number;
	readonly failed: readonly unknown[];
}

function failure(what: string, failed: readonly unknown[]): AppError {
	const cause = aggregated(failed);
	return new AppError('Internal', `${what}: ${messageOf(cause)}`, { cause });
}
