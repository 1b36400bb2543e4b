/** The controller loop: changes become keys, keys are reconciled, failures are retried. */
import type { BackoffPolicy } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Registry } from '../base/metrics.ts';
import type { Service } from '../base/service.ts';
import { keyOf, type Key, type KubeObject } from '../api/resource.ts';
import type { Change } from './cache.ts';
import type { Informer } from './informer.ts';
import { createWorkQueue, type Again } from './workqueue.ts';

export type { Again } from './workqueue.ts';

/** Brings what the key names to its wanted state. Throwing means: again, with back-off. It must be safe to call at any time. */
export type Reconcile = (key: Key, signal: AbortSignal) => Promise<Again | void>;

/** Where keys come from; made by `keysFrom`. */
export interface KeySource {
	synced(signal: AbortSignal): Promise<void>;
	subscribe(enqueue: (key: Key, afterMs?: number) => void): Disposable;
}

/** Which keys a change concerns; the object's own key unless told. */
export type KeyMapping<T> = (change: Change<T>) => Iterable<Key>;

/** An informer's changes as keys, e.g. `keysFrom(pods, (change) => ownersOf(change))`; looked at after a while where told. */
export function keysFrom<T extends KubeObject>(informer: Informer<T>, keys: KeyMapping<T> = ownKey, afterMs?: number): KeySource {
	return {
		synced: (signal) => informer.synced(signal),
		subscribe: (enqueue) =>
			informer.subscribe((change) => {
				for (const key of keys(change)) enqueue(key, afterMs);
			}),
	};
}

function ownKey(change: Change<KubeObject>): readonly Key[] {
	const object = change.after ?? change.before;
	return object === undefined ? [] : [keyOf(object)];
}

export interface ControllerOptions {
	/** Names the service, its work queue and its log lines. */
	readonly name: string;
	readonly reconcile: Reconcile;
	/** Nothing is reconciled before all of them have synced. */
	readonly sources: readonly KeySource[];
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics?: Registry;
	/** Keys reconciled at once; 1 unless told. */
	readonly workers?: number;
	readonly backoff?: BackoffPolicy;
	readonly after?: readonly string[];
}

export interface Controller extends Service {
	/** Asks for a key to be looked at, now or after a while. */
	enqueue(key: Key, afterMs?: number): void;
}

/** A controller as a Service: ready once its sources have synced. */
export function createController(options: ControllerOptions): Controller {
	const { name, reconcile, sources, clock, metrics } = options;
	const log = options.log.with({ controller: name });
	const queue = createWorkQueue({
		name,
		clock,
		...(metrics === undefined ? {} : { metrics }),
		...(options.backoff === undefined ? {} : { backoff: options.backoff }),
		onError: (key, error, retryMs) => log.warn('reconcile failed', { key, reason: messageOf(error), retryMs: Math.round(retryMs), error }),
	});
	const enqueue = (key: Key, afterMs = 0): void => queue.addAfter(key, afterMs);
	return {
		name,
		after: options.after ?? [],
		enqueue,
		async run(signal, ready) {
			using subscriptions = new DisposableStack();
			for (const source of sources) subscriptions.use(source.subscribe(enqueue));
			try {
				await Promise.all(sources.map((source) => source.synced(signal)));
			} catch (error) {
				if (signal.aborted) return;
				throw error;
			}
			ready();
			await queue.run(options.workers ?? 1, reconcile, signal);
		},
	};
}
