/**
 * What containers of an image are made from, and whom it runs as, which the engine's list of images does not say. Kept by image id: what it is made of never
 * changes, and its names are those of the last look at it, which kubelets take before they make a container.
 */
import { abortable } from '../../base/abort.ts';
import { Lru } from '../../base/lru.ts';
import type { Engine } from '../engine/engine.ts';
import type { ImageInspect } from '../engine/types.ts';
import { inspectImage, mustInspectImage } from './inspect.ts';
import { SharedLooks } from './shared-looks.ts';

const MAX_KEPT = 1000;
/** Of whole images, which are large: as many as a node runs at a time. */
const MAX_WHOLE = 100;

export class ImageConfigs {
	readonly #engine: Engine;
	readonly #users = new Lru<string, string>(MAX_KEPT);
	readonly #images = new Lru<string, ImageInspect>(MAX_WHOLE);
	readonly #looks: SharedLooks<ImageInspect | undefined>;

	constructor(engine: Engine) {
		this.#engine = engine;
		this.#looks = new SharedLooks((reference) => inspectImage(engine, reference));
	}

	/**
	 * By id (as kubelets name images) the engine is asked once; another name may have come to mean another image. Throws NotFound, also later
	 * for an image that is known to be gone: one that somebody else has removed since, the engine refuses when the container is made.
	 */
	async image(reference: string, signal: AbortSignal): Promise<ImageInspect> {
		const known = this.#images.get(reference);
		if (known !== undefined) return known;
		const image = await mustInspectImage(this.#engine, reference, signal);
		this.#images.set(image.Id, image);
		return image;
	}

	/** Looks anew, by any name; undefined where there is none. Many pods that start at once ask for the same. */
	async look(reference: string, signal: AbortSignal): Promise<ImageInspect | undefined> {
		const image = await abortable(this.#looks.at(reference), signal);
		if (image === undefined) this.forget(reference);
		else this.#images.set(image.Id, image);
		return image;
	}

	/** The image is gone, or going. */
	forget(id: string): void {
		this.#images.delete(id);
	}

	/** The `USER` of the image; "" where it has none or is gone. */
	async user(id: string, signal: AbortSignal): Promise<string> {
		const known = this.#users.get(id);
		if (known !== undefined) return known;
		const image = await inspectImage(this.#engine, id, signal);
		const user = image?.Config?.User ?? '';
		if (image !== undefined) this.#users.set(id, user);
		return user;
	}
}
