/** Typed access to an API server: one method a verb, for built-in kinds and for any other by a Resource made by hand. */
import type { KubeObject, Key, Resource } from '../api/resource.ts';
import type { ListMeta } from '../api/gen/types.ts';
import type { Transport } from './transport.ts';
import type { WatchEvent } from './watch-event.ts';

export type { WatchEvent } from './watch-event.ts';

export interface CallOptions {
	readonly signal?: AbortSignal;
	/** "status", "scale", … */
	readonly subresource?: string;
}

export interface WriteOptions extends CallOptions {
	readonly dryRun?: boolean;
	readonly fieldManager?: string;
	readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

export interface ListOptions extends CallOptions {
	/** All namespaces when absent. */
	readonly namespace?: string;
	readonly labelSelector?: string;
	readonly fieldSelector?: string;
	readonly limit?: number;
	readonly continue?: string;
	readonly resourceVersion?: string;
	readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

export interface WatchOptions extends Omit<ListOptions, 'limit' | 'continue'> {
	readonly allowWatchBookmarks?: boolean;
	readonly sendInitialEvents?: boolean;
	readonly timeoutSeconds?: number;
}

export interface DeleteOptions extends CallOptions {
	readonly gracePeriodSeconds?: number;
	readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
	/** Precondition: delete only this one. */
	readonly uid?: string | undefined;
	readonly resourceVersion?: string;
	readonly dryRun?: boolean;
}

export type Patch =
	| { readonly type: 'merge'; readonly body: unknown }
	| { readonly type: 'strategic'; readonly body: unknown }
	| { readonly type: 'json'; readonly body: readonly unknown[] }
	| { readonly type: 'apply'; readonly body: unknown; readonly force?: boolean };

export interface List<T> {
	readonly metadata: ListMeta;
	readonly items: readonly T[];
}

/** Every method rejects with `StatusError` (api/status.ts) when the server says no, and with AppError Unavailable when none answers. */
export interface Client {
	readonly transport: Transport;
	get<T extends KubeObject>(resource: Resource<T>, key: Key, options?: CallOptions): Promise<T>;
	list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): Promise<List<T>>;
	/** Ends when the server ends the stream; throws StatusError on an ERROR event (410 Expired among them). */
	watch<T extends KubeObject>(resource: Resource<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
	/** The same, with events that come together given together. */
	watchBatches?<T extends KubeObject>(resource: Resource<T>, options?: WatchOptions): AsyncIterable<readonly WatchEvent<T>[]>;
	/** With `subresource`, the object's name says whose ("token", "binding", "eviction"); the answer may be another kind. */
	create<T extends KubeObject, R extends object = T>(
		resource: Resource<T>,
		object: object,
		options?: WriteOptions & { readonly key?: Key },
	): Promise<R>;
	update<T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T>;
	patch<T extends KubeObject>(resource: Resource<T>, key: Key, patch: Patch, options?: WriteOptions): Promise<T>;
	delete<T extends KubeObject>(resource: Resource<T>, key: Key, options?: DeleteOptions): Promise<void>;
	deleteCollection<T extends KubeObject>(resource: Resource<T>, options?: ListOptions & DeleteOptions): Promise<void>;
	/** The same client with another name in User-Agent, which the server takes for the default field manager. */
	as(userAgent: string): Client;
}
