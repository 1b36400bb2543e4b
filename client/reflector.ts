/** List and watch as one stream of events that survives closed connections, expired versions and servers without WatchList. */
import type { BackoffPolicy } from '../base/backoff.ts';
import { delayMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { KubeObject, Resource } from '../api/resource.ts';
import { StatusError } from '../api/status.ts';
import type { Client, List, WatchEvent, WatchOptions } from './client.ts';

/** `init`…`initDone` carry one complete state (what came before is void at initDone); then single changes. `init` may come again at any time. */
export type ReflectorEvent<T> =
	| { readonly type: 'init' }
	| { readonly type: 'initApply'; readonly object: T }
	/** Gone again before the state was complete. */
	| { readonly type: 'initDelete'; readonly object: T }
	| { readonly type: 'initDone' }
	| { readonly type: 'apply'; readonly object: T }
	| { readonly type: 'delete'; readonly object: T };

type Batch<T> = readonly ReflectorEvent<T>[];

export interface ReflectOptions<T extends KubeObject> {
	readonly client: Client;
	readonly resource: Resource<T>;
	readonly clock: Clock;
	readonly log: Log;
	readonly namespace?: string;
	readonly labelSelector?: string;
	readonly fieldSelector?: string;
}

/** client-go's reflector waits 0.8 to 30 s, doubling with full jitter; the first wait is shorter here, so that a restarting server is found quickly. */
const BACKOFF: BackoffPolicy = { initialMs: 100, maxMs: 30_000, jitter: 1 };
/** client-go's minWatchTimeout; a watch asks for this to twice this. */
const WATCH_TIMEOUT_S = 300;
/** A watch that lived this long (or brought an event) was healthy: the next failure waits the shortest time again. */
const HEALTHY_MS = 10_000;
const PAGE = 500;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';
/** What a server says that does not know WatchList; 500: upstream's, on an etcd that reports no progress (before 3.4.25). */
const NO_WATCH_LIST = new Set([400, 405, 406, 415, 422, 500]);

/** Follows the objects until the signal aborts (then it throws the signal's reason). It never gives up: failures are logged and retried with back-off. */
export async function* reflect<T extends KubeObject>(
	options: ReflectOptions<T>,
	signal: AbortSignal,
): AsyncGenerator<ReflectorEvent<T>, void> {
	for await (const batch of reflectBatches(options, signal)) yield* batch;
}

/** The same, with events that come together given together. */
export async function* reflectBatches<T extends KubeObject>(
	options: ReflectOptions<T>,
	signal: AbortSignal,
): AsyncGenerator<Batch<T>, void> {
	const state: State = { version: undefined, watchList: true, paged: true, failures: 0 };
	for (;;) {
		signal.throwIfAborted();
		const started = options.clock.monotonic();
		let seen = false;
		try {
			for await (const batch of round(options, state, signal)) {
				for (const { type } of batch) {
					if (type === 'apply' || type === 'delete') state.failures = 0;
					if (!type.startsWith('init') || type === 'initDone') seen = true;
				}
				yield batch;
			}
			signal.throwIfAborted();
			const healthy = options.clock.monotonic() - started >= HEALTHY_MS;
			if (healthy) state.failures = 0;
			// The server closed the watch: resume at once, unless it does nothing but close.
			if (seen || healthy) continue;
		} catch (error) {
			signal.throwIfAborted();
			if (options.clock.monotonic() - started >= HEALTHY_MS) state.failures = 0;
			if (!adapt(options, state, error)) continue;
		}
		await options.clock.sleep(delayMs(BACKOFF, state.failures++, options.clock.random()), signal);
	}
}

interface State {
	/** Where to resume; undefined before a complete state and after it expired. */
	version: string | undefined;
	watchList: boolean;
	/** Lists come in pages, until a continue token has expired on the way: then the next one is read whole. */
	paged: boolean;
	failures: number;
}

/** Learns from a failure. False where the next try needs no wait. */
function adapt<T extends KubeObject>(options: ReflectOptions<T>, state: State, error: unknown): boolean {
	const code = error instanceof StatusError ? error.httpCode : undefined;
	const initial = state.version === undefined;
	if (initial && state.watchList && code !== undefined && NO_WATCH_LIST.has(code)) {
		state.watchList = false;
		return false;
	}
	if (code === 410) {
		state.version = undefined;
		return true;
	}
	options.log.warn(initial ? 'cannot list' : 'watch failed', { resource: options.resource.plural, reason: messageOf(error) });
	return true;
}

/** One list or one watch. */
function round<T extends KubeObject>(options: ReflectOptions<T>, state: State, signal: AbortSignal): AsyncIterable<Batch<T>> {
	if (state.version !== undefined) return follow(options, state, signal, false);
	return state.watchList ? follow(options, state, signal, true) : list(options, state, signal);
}

/** A watch from the known version, or (WatchList) one that begins with the complete state. */
async function* follow<T extends KubeObject>(
	options: ReflectOptions<T>,
	state: State,
	signal: AbortSignal,
	initial: boolean,
): AsyncGenerator<Batch<T>, void> {
	const watch: WatchOptions = {
		...selectors(options),
		allowWatchBookmarks: true,
		timeoutSeconds: Math.floor(WATCH_TIMEOUT_S * (1 + options.clock.random())),
		signal,
		...(initial ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } : { resourceVersion: state.version ?? '' }),
	};
	let listing = initial;
	const meaning = ({ type, object }: WatchEvent<T>): ReflectorEvent<T> | undefined => {
		const { metadata } = object;
		if (!listing) state.version = metadata.resourceVersion ?? state.version;
		switch (type) {
			case 'ADDED':
			case 'MODIFIED':
				return { type: listing ? 'initApply' : 'apply', object };
			case 'DELETED':
				return { type: listing ? 'initDelete' : 'delete', object };
			case 'BOOKMARK':
				if (!listing || metadata.annotations?.[INITIAL_EVENTS_END] !== 'true') return undefined;
				listing = false;
				state.version = metadata.resourceVersion;
				return { type: 'initDone' };
		}
	};
	if (listing) yield [{ type: 'init' }];
	for await (const batch of watchBatches(options.client, options.resource, watch)) {
		const events = batch.map(meaning).filter((event) => event !== undefined);
		if (events.length > 0) yield events;
	}
}

/** A client may know its events one by one only. */
async function* watchBatches<T extends KubeObject>(
	client: Client,
	resource: Resource<T>,
	options: WatchOptions,
): AsyncGenerator<readonly WatchEvent<T>[], void> {
	if (client.watchBatches !== undefined) yield* client.watchBatches(resource, options);
	else for await (const event of client.watch(resource, options)) yield [event];
}

async function* list<T extends KubeObject>(options: ReflectOptions<T>, state: State, signal: AbortSignal): AsyncGenerator<Batch<T>, void> {
	yield [{ type: 'init' }];
	let after: string | undefined;
	let version: string | undefined;
	do {
		const page: List<T> = await options.client
			.list(options.resource, {
				...selectors(options),
				signal,
				...(state.paged ? { limit: PAGE } : {}),
				...(after === undefined ? {} : { continue: after }),
			})
			.catch((error: unknown) => {
				if (error instanceof StatusError && error.httpCode === 410) state.paged = false;
				throw error;
			});
		yield page.items.map((object) => ({ type: 'initApply', object }));
		version ??= page.metadata.resourceVersion;
		after = page.metadata.continue === '' ? undefined : page.metadata.continue;
	} while (after !== undefined);
	state.paged = true;
	state.version = version;
	yield [{ type: 'initDone' }];
}

function selectors(options: ReflectOptions<KubeObject>): Pick<WatchOptions, 'namespace' | 'labelSelector' | 'fieldSelector'> {
	const { namespace, labelSelector, fieldSelector } = options;
	return {
		...(namespace === undefined ? {} : { namespace }),
		...(labelSelector === undefined ? {} : { labelSelector }),
		...(fieldSelector === undefined ? {} : { fieldSelector }),
	};
}
