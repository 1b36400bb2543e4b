/** A cache that follows the API server, and tells its subscribers what changed. */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Service } from '../base/service.ts';
import { abortable } from '../base/abort.ts';
import { messageOf } from '../base/errors.ts';
import { keyOf, type Key, type KubeObject, type Resource } from '../api/resource.ts';
import { Cache, type Change, type IndexFunction, type Lister } from './cache.ts';
import type { Client } from './client.ts';
import { reflectBatches, type ReflectorEvent } from './reflector.ts';

/** Which objects of a kind; all of them when empty. */
export interface Selection {
	readonly namespace?: string;
	readonly labelSelector?: string;
	readonly fieldSelector?: string;
}

export interface Informer<T extends KubeObject> extends Service {
	readonly resource: Resource<T>;
	readonly lister: Lister<T>;
	/** True once the cache has held a complete state. */
	readonly hasSynced: boolean;
	/** Resolves once the cache has held a complete state; rejects with the signal's reason. */
	synced(signal: AbortSignal): Promise<void>;
	/** Calls `fn` for each object already held (as added), then for every change, in order. It must not throw or wait: it enqueues keys. */
	subscribe(fn: (change: Change<T>) => void): Disposable;
	/** Adds an index; one of that name already there stays. */
	addIndex(name: string, valuesOf: IndexFunction<T>): void;
}

export interface InformerOptions<T extends KubeObject> extends Selection {
	readonly client: Client;
	readonly resource: Resource<T>;
	readonly clock: Clock;
	readonly log: Log;
	readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
	/** Services that must be ready first. */
	readonly after?: readonly string[];
}

/** An informer of one kind and selection. As a Service it is ready at once; `synced` says when its cache is complete. */
export function createInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
	return new ReflectingInformer(options);
}

/** A name for one informer: "informer/pods.v1" and its selection. */
export function informerName(resource: Resource, selection: Selection): string {
	const parts = [selection.namespace, selection.labelSelector, selection.fieldSelector];
	const suffix = parts.some((p) => p !== undefined) ? `?${parts.map((p) => p ?? '').join(',')}` : '';
	return `informer/${resource.plural}.${resource.version}${resource.group === '' ? '' : `.${resource.group}`}${suffix}`;
}

class ReflectingInformer<T extends KubeObject> implements Informer<T> {
	readonly name: string;
	readonly after: readonly string[];
	readonly resource: Resource<T>;
	readonly lister: Cache<T>;
	readonly #options: InformerOptions<T>;
	readonly #subscribers = new Set<(change: Change<T>) => void>();
	readonly #synced = Promise.withResolvers<void>();
	/** Objects of a list under way; they replace the cache together at initDone. */
	#arriving: Map<Key, T> | undefined;
	hasSynced = false;

	constructor(options: InformerOptions<T>) {
		this.#options = options;
		this.resource = options.resource;
		this.name = informerName(options.resource, options);
		this.after = options.after ?? [];
		this.lister = new Cache(options.indexes);
	}

	synced(signal: AbortSignal): Promise<void> {
		return abortable(this.#synced.promise, signal);
	}

	subscribe(fn: (change: Change<T>) => void): Disposable {
		const subscriber = (change: Change<T>): void => fn(change);
		for (const object of this.lister.list()) this.#tell(subscriber, { after: object });
		this.#subscribers.add(subscriber);
		return { [Symbol.dispose]: () => void this.#subscribers.delete(subscriber) };
	}

	addIndex(name: string, valuesOf: IndexFunction<T>): void {
		this.lister.addIndex(name, valuesOf);
	}

	async run(signal: AbortSignal, ready: () => void): Promise<void> {
		ready();
		try {
			for await (const batch of reflectBatches(this.#options, signal)) for (const event of batch) this.#take(event);
		} catch (error) {
			if (!signal.aborted) throw error;
		}
	}

	#take(event: ReflectorEvent<T>): void {
		switch (event.type) {
			case 'init':
				this.#arriving = new Map();
				break;
			case 'initApply':
				this.#arriving?.set(keyOf(event.object), event.object);
				break;
			case 'initDelete':
				this.#arriving?.delete(keyOf(event.object));
				break;
			case 'initDone': {
				const changes = this.lister.replace([...(this.#arriving?.values() ?? [])]);
				this.#arriving = undefined;
				for (const change of changes) this.#publish(change);
				this.hasSynced = true;
				this.#synced.resolve();
				break;
			}
			case 'apply':
				this.#publish(this.lister.apply(event.object));
				break;
			case 'delete':
				this.#publish(this.lister.delete(keyOf(event.object), event.object));
				break;
		}
	}

	#publish(change: Change<T> | undefined): void {
		if (change === undefined) return;
		for (const subscriber of this.#subscribers) this.#tell(subscriber, change);
	}

	/** A subscriber's mistake must not stop the cache for everybody else. */
	#tell(subscriber: (change: Change<T>) => void, change: Change<T>): void {
		try {
			subscriber(change);
		} catch (error) {
			this.#options.log.error('informer subscriber failed', { informer: this.name, reason: messageOf(error), error });
		}
	}
}
