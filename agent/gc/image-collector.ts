/** Removes images that nothing uses: those too old, as many as a full disk needs, or all when the node is short of disk. */
import { fsStats } from '../../host/filesystem.ts';
import { AppError } from '../../base/errors.ts';
import { settingsIn } from '../config/settings.ts';
import type { AgentContext } from '../context.ts';
import type { ImageInfo } from '../runtime/runtime.ts';
import { bytesToFree, imagesToRemove, oldImages, type ImageDisk, type ImageUse } from './images.ts';

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
		await this.#remove(old, 'age', signal);
		const folder = disk === undefined ? await runtime.imageFolder(signal) : undefined;
		const measured = disk ?? (folder === undefined ? undefined : await fsStats(folder).catch(() => undefined));
		if (measured === undefined) return;
		if (measured.capacityBytes <= 0) throw this.#failed('InvalidDiskCapacity', 'invalid capacity 0 on image filesystem');
		const wanted = Math.floor(bytesToFree(measured, limits.highPercent, limits.lowPercent));
		if (wanted === 0) return;
		const freed = await this.#remove(
			this.#unused({ ...looked, images: looked.images.filter((i) => !old.includes(i)) }, wanted),
			'space',
			signal,
		);
		if (freed >= wanted) return;
		throw this.#failed(
			'FreeDiskSpaceFailed',
			`Failed to garbage collect required amount of images. Attempted to free ${wanted} bytes, but only found ${freed} bytes eligible to free.`,
		);
	}

	/** Everything that is not used; the bytes that went. */
	async removeUnused(signal: AbortSignal): Promise<number> {
		return this.#remove(this.#unused(await this.#look(signal), Number.POSITIVE_INFINITY), 'space', signal);
	}

	#failed(reason: string, message: string): AppError {
		this.#event('Warning', reason, message);
		return new AppError('Internal', message);
	}

	#unused({ images, used, now, minAgeMs }: Looked, wanted: number): readonly ImageInfo[] {
		return imagesToRemove(images, used, this.#uses, wanted, now, minAgeMs);
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

	async #remove(images: readonly ImageInfo[], reason: 'age' | 'space', signal: AbortSignal): Promise<number> {
		const { runtime, log, figures } = this.#context;
		for (const image of images) {
			await runtime.removeImage(image.id, signal);
			this.#uses.delete(image.id);
			figures.imagesCollected.inc({ reason });
			log.info('removed an unused image', { image: image.tags[0] ?? image.id, sizeBytes: image.sizeBytes });
		}
		return images.reduce((sum, i) => sum + i.sizeBytes, 0);
	}
}
