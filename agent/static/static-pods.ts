/**
 * The static pods of all sources: tells the workers what begins and what ends. A pod waits for the one of its name before it to be gone, as
 * the two may want the same ports and files; of two sources' pods of one name the one that was there first runs.
 */
import type { Pod } from '../../api/gen/types.ts';
import { keyOf, type Key } from '../../api/resource.ts';
import { messageOf } from '../../base/errors.ts';
import type { Change } from '../../client/cache.ts';
import type { Log } from '../../base/log.ts';
import type { Mirrors } from './mirrors.ts';

/** What static pods need of the workers. */
export interface StaticWorkers {
	changed(change: Change<Pod>): void;
	begin(pod: Pod): void;
	/** Ends the pod with its own grace. */
	withdraw(uid: string): void;
	/** Resolves when nothing of the pod is left; at once for one that is not there. */
	ended(uid: string): Promise<void>;
}

interface Deps {
	readonly workers: StaticWorkers;
	readonly mirrors: Pick<Mirrors, 'want' | 'forget' | 'sourcesRead'>;
	readonly log: Log;
	/** Names of the sources that there are. */
	readonly sources: readonly string[];
	/** Called once every source has been read. */
	readonly complete: () => void;
	/** A manifest went and came back. */
	readonly restarted: () => void;
	/** A manifest is left out. */
	readonly invalid: (pod: Pod, why: string) => void;
}

export class StaticPods {
	readonly #deps: Deps;
	/** What each source says, by source. */
	readonly #said = new Map<string, readonly Pod[]>();
	/** The pod of each name that runs, or is ending. */
	readonly #running = new Map<Key, Pod>();
	readonly #ending = new Set<Key>();
	/** The uid that ended last, by name. */
	readonly #ended = new Map<Key, string>();
	#complete = false;

	constructor(deps: Deps) {
		this.#deps = deps;
		this.#checkComplete();
	}

	/** Those that run, and those that are ending. */
	get pods(): readonly Pod[] {
		return [...this.#running.values()];
	}

	get complete(): boolean {
		return this.#complete;
	}

	/** All pods of a source, as it says now. */
	found(source: string, pods: readonly Pod[]): void {
		this.#said.set(source, this.#distinct(source, pods));
		this.#settle();
		this.#checkComplete();
	}

	/** Of a source's pods of one name the first counts. */
	#distinct(source: string, pods: readonly Pod[]): readonly Pod[] {
		const seen = new Set<Key>();
		return pods.filter((pod) => {
			const key = keyOf(pod);
			if (!seen.has(key)) return seen.add(key);
			const { name = '', namespace = '', uid = '' } = pod.metadata;
			this.#deps.invalid(
				pod,
				`Error validating pod ${name}_${namespace}(${uid}) from ${source} due to duplicate pod name "${name}", ignoring`,
			);
			return false;
		});
	}

	#checkComplete(): void {
		if (this.#complete || this.#deps.sources.some((source) => !this.#said.has(source))) return;
		this.#complete = true;
		this.#deps.mirrors.sourcesRead();
		this.#deps.complete();
	}

	#settle(): void {
		const wanted = new Map<Key, Pod>();
		for (const pod of [...this.#said.values()].flat()) {
			const key = keyOf(pod);
			const running = this.#running.get(key);
			if (!wanted.has(key) || running?.metadata.uid === pod.metadata.uid) wanted.set(key, pod);
		}
		for (const [key, pod] of this.#running) if (wanted.get(key)?.metadata.uid !== pod.metadata.uid) this.#end(key, pod);
		for (const [key, pod] of wanted) if (!this.#running.has(key)) this.#begin(key, pod);
	}

	#begin(key: Key, pod: Pod): void {
		const { workers, mirrors, log } = this.#deps;
		log.info('a static pod begins', { pod: key, uid: pod.metadata.uid });
		if (this.#ended.get(key) === pod.metadata.uid) this.#deps.restarted();
		this.#ended.delete(key);
		this.#running.set(key, pod);
		workers.begin(pod);
		mirrors.want(pod);
	}

	#end(key: Key, pod: Pod): void {
		if (this.#ending.has(key)) return;
		const { workers, mirrors, log } = this.#deps;
		const uid = pod.metadata.uid ?? '';
		log.info('a static pod ends', { pod: key, uid });
		this.#ending.add(key);
		workers.withdraw(uid);
		workers
			.ended(uid)
			.then(() => {
				this.#ending.delete(key);
				this.#running.delete(key);
				this.#ended.set(key, uid);
				mirrors.forget(pod);
				this.#settle();
			})
			.catch((error: unknown) => log.error('a static pod did not end', { pod: key, reason: messageOf(error) }));
	}
}
