/**
 * Mirror pods: what the API shows of static pods. Each static pod has one of its name; it is made when it is not there, made anew when it
 * shows another manifest or is being deleted, and taken away with its static pod. One key is a pod's "namespace/name".
 */
import type { Node, Pod } from '../../api/gen/types.ts';
import { keyOf, type Key } from '../../api/resource.ts';
import { PODS } from '../../api/resources.ts';
import { StatusError } from '../../api/status.ts';
import { messageOf } from '../../base/errors.ts';
import type { Registry } from '../../base/metrics.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Client } from '../../client/client.ts';
import type { Change } from '../../client/cache.ts';
import { createWorkQueue, type Again, type WorkQueue } from '../../client/workqueue.ts';
import { isNotFound } from '../volume/objects.ts';
import { hashOfPod, isMirror, MIRROR, mirrorOf } from './static-pod.ts';

interface Deps {
	readonly client: Client;
	readonly clock: Clock;
	readonly log: Log;
	/** Undefined while the node is not registered: a mirror names it as its owner. */
	readonly node: () => Node | undefined;
	/** A static pod has a mirror of its manifest now, or has lost it. */
	readonly changed: (uid: string) => void;
	/** Where its queue is counted. */
	readonly metrics?: Registry;
}

/** The API may be away for long. */
const RETRY = { initialMs: 200, maxMs: 10_000 };
const NO_NODE_MS = 1000;

export class Mirrors {
	readonly #deps: Deps;
	readonly #queue: WorkQueue<Key>;
	/** Static pods that run or wait to. */
	readonly #wanted = new Map<Key, Pod>();
	/** Mirrors as the API has them, or as it answered. */
	readonly #mirrors = new Map<Key, Pod>();
	/** The API's pods are all known: a mirror without a static pod is an orphan. */
	#synced = false;
	readonly #known = Promise.withResolvers<void>();
	/** All sources of static pods have been read. */
	#complete = false;

	constructor(deps: Deps) {
		this.#deps = deps;
		this.#queue = createWorkQueue<Key>({
			name: 'mirror-pods',
			clock: deps.clock,
			...(deps.metrics && { metrics: deps.metrics }),
			backoff: RETRY,
			onError: (pod, error, retryMs) => deps.log.warn('mirror pod not in step', { pod, reason: messageOf(error), retryMs }),
		});
	}

	/** How many there are to be. */
	get count(): number {
		return this.#wanted.size;
	}

	/** The mirror that shows this very static pod. */
	of(pod: Pod): Pod | undefined {
		const mirror = this.#mirrors.get(keyOf(pod));
		return mirror?.metadata.annotations?.[MIRROR] === hashOfPod(pod) ? mirror : undefined;
	}

	/** Resolves once the mirrors that there are are known. */
	get known(): Promise<void> {
		return this.#known.promise;
	}

	want(pod: Pod): void {
		this.#wanted.set(keyOf(pod), pod);
		this.#queue.add(keyOf(pod));
	}

	/** The static pod has ended and is gone. */
	forget(pod: Pod): void {
		if (this.#wanted.get(keyOf(pod))?.metadata.uid === pod.metadata.uid) this.#wanted.delete(keyOf(pod));
		this.#queue.add(keyOf(pod));
	}

	/** A change of the API: of mirrors, and of other pods of a static pod's name. */
	changed({ before, after }: Change<Pod>): void {
		const pod = after ?? before;
		if (pod === undefined) return;
		const key = keyOf(pod);
		if (after !== undefined && isMirror(after)) this.#mirrors.set(key, after);
		else this.#mirrors.delete(key);
		const wanted = this.#wanted.get(key);
		const matters = after === undefined || before === undefined || wanted === undefined || this.#wrong(after, wanted);
		if (matters) this.#queue.add(key);
		if (wanted !== undefined && before === undefined) this.#deps.changed(wanted.metadata.uid ?? '');
	}

	/** The pods of the API are known. */
	apiSynced(): void {
		this.#synced = true;
		this.#known.resolve();
		this.#lookAtAll();
	}

	/** Every source of static pods has been read once. */
	sourcesRead(): void {
		this.#complete = true;
		this.#lookAtAll();
	}

	run(signal: AbortSignal): Promise<void> {
		return this.#queue.run(2, (key, stop) => this.#reconcile(key, stop), signal);
	}

	#lookAtAll(): void {
		for (const key of [...this.#wanted.keys(), ...this.#mirrors.keys()]) this.#queue.add(key);
	}

	async #reconcile(key: Key, signal: AbortSignal): Promise<Again | void> {
		const { client, node: nodeOf } = this.#deps;
		const [wanted, mirror] = [this.#wanted.get(key), this.#mirrors.get(key)];
		if (!this.#synced) return; // a mirror may be there already
		if (wanted === undefined) {
			if (mirror !== undefined && this.#complete) await this.#delete(mirror, signal);
			return;
		}
		if (mirror !== undefined && this.#wrong(mirror, wanted)) await this.#delete(mirror, signal);
		else if (mirror !== undefined) return;
		const node = nodeOf();
		if (node === undefined) return { afterMs: NO_NODE_MS };
		const made = await client.create(PODS, mirrorOf(wanted, node), { signal });
		this.#mirrors.set(key, made);
		this.#deps.changed(wanted.metadata.uid ?? '');
	}

	#wrong(mirror: Pod, wanted: Pod): boolean {
		return mirror.metadata.deletionTimestamp !== undefined || mirror.metadata.annotations?.[MIRROR] !== hashOfPod(wanted);
	}

	async #delete(mirror: Pod, signal: AbortSignal): Promise<void> {
		const { uid } = mirror.metadata;
		try {
			await this.#deps.client.delete(PODS, keyOf(mirror), { gracePeriodSeconds: 0, ...(uid === undefined ? {} : { uid }), signal });
		} catch (error) {
			// A conflict says that another pod has the name now.
			if (!isNotFound(error) && !(error instanceof StatusError && error.httpCode === 409)) throw error;
		}
		if (this.#mirrors.get(keyOf(mirror))?.metadata.uid === uid) this.#mirrors.delete(keyOf(mirror));
	}
}
