/** A watch by the JavaScript client whose events can be waited for in order. */
import { Watch, type KubernetesObject } from '@kubernetes/client-node';
import type { World } from './suite.ts';

/** For machines that are busy: a bound, no measure. */
const BOUND_MS = 180_000;
const SILENCE_MS = 300_000;

export interface Seen<T> {
	readonly type: string;
	readonly object: T;
}

export class Watching<T extends KubernetesObject = KubernetesObject> {
	readonly seen: Seen<T>[] = [];
	/** Resolves when the watch ended. */
	readonly ended: Promise<void>;
	#read = 0;
	#wake: () => void = () => {};

	private constructor(start: (event: (type: string, object: T) => void, ended: () => void) => void) {
		this.ended = new Promise((resolve) =>
			start((type, object) => {
				this.seen.push({ type, object });
				this.#wake();
			}, resolve),
		);
	}

	/** Started when the server has answered. */
	static async start<T extends KubernetesObject>(
		{ config, signal }: World,
		path: string,
		query: Record<string, string> = {},
	): Promise<Watching<T>> {
		// It ends a watch by itself that is silent for 30 s, as one of a pod that waits for its turn may be.
		const watch = new Watch(config);
		Object.assign(watch, { requestTimeoutMs: SILENCE_MS });
		let controller: Promise<AbortController> | undefined;
		const watching = new Watching<T>((event, ended) => {
			controller = watch.watch(path, query, event, () => ended());
		});
		const started = await controller;
		signal.addEventListener('abort', () => started?.abort());
		return watching;
	}

	/** The next event not yet taken, of that type unless none is told. */
	async next(...types: readonly string[]): Promise<Seen<T>> {
		const until = Date.now() + BOUND_MS;
		for (;;) {
			while (this.#read < this.seen.length) {
				const event = this.seen[this.#read++] as Seen<T>;
				if (types.length === 0 || types.includes(event.type)) return event;
			}
			const left = until - Date.now();
			if (left <= 0)
				throw new Error(`No ${types.join(' or ')} event within ${BOUND_MS} ms; seen: ${this.seen.map((e) => e.type).join(', ')}`);
			await new Promise<void>((resolve) => {
				const timer = setTimeout(resolve, left);
				this.#wake = () => {
					clearTimeout(timer);
					resolve();
				};
			});
		}
	}
}
