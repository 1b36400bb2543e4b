/** Whom images run as, which the engine's list of images does not say. Kept by image id, since an image never changes. */
import { Lru } from '../../base/lru.ts';
import type { Engine } from '../engine/engine.ts';
import { inspectImage } from './inspect.ts';

const MAX_KEPT = 1000;

export class ImageConfigs {
	readonly #engine: Engine;
	readonly #users = new Lru<string, string>(MAX_KEPT);

	constructor(engine: Engine) {
		this.#engine = engine;
	}

	/** The `USER` of the image; "" where it has none or is gone. */
	async user(id: string, signal: AbortSignal): Promise<string> {
		const known = this.#users.get(id);
		if (known !== undefined) return known;
		const user = (await inspectImage(this.#engine, id, signal))?.Config?.User ?? '';
		this.#users.set(id, user);
		return user;
	}
}
