/** Follows every kind that can be deleted, and tells the graph; kinds that appear or go (custom resources) are picked up. */
import type { KubeObject } from '../../../api/resource.ts';
import { API_SERVICES, CUSTOM_RESOURCE_DEFINITIONS } from '../../../api/resources.ts';
import { delayMs, type BackoffPolicy } from '../../../base/backoff.ts';
import type { Clock } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { Client } from '../../../client/client.ts';
import type { Informers } from '../../../client/informers.ts';
import { reflectBatches, type ReflectorEvent } from '../../../client/reflector.ts';
import { discoverFresh, type Discovered, type DiscoveredResource } from '../discovered.ts';
import type { OwnerGraph } from './graph.ts';
import { isRegistered, missingIn, type Registered } from './registered.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly log: Log;
	readonly graph: OwnerGraph;
	readonly enqueue: (uid: string) => void;
	/** Told of all served resources whenever they were read. */
	readonly onKinds: (resources: readonly DiscoveredResource[]) => void;
}

/** Retry of discovery. */
const RETRY_MS = 1000;
/** Until discovery shows what is registered; upstream reads it every half minute, whatever it shows. */
const AGAIN: BackoffPolicy = { initialMs: 1000, maxMs: 30_000 };
/** So long is waited at first for kinds that cannot be listed, such as one whose conversion is broken: upstream's initialSyncTimeout. */
const FIRST_MS = 30_000;

/** Upstream's ignoredResources. */
const EVENTS = new Set(['/events', 'events.k8s.io/events']);

/** Events belong to nobody and are many; leases are looked at although they renew all the time, since nodes own them. */
function isFollowed({ verbs, group, plural }: DiscoveredResource): boolean {
	return ['delete', 'list', 'watch'].every((verb) => verbs.includes(verb)) && !EVENTS.has(`${group}/${plural}`);
}

interface Following {
	readonly resource: DiscoveredResource;
	readonly stop: AbortController;
	readonly synced: Promise<void>;
}

export class GraphFeed {
	readonly #deps: Deps;
	readonly #running = new Map<string, Following>();
	/** When the last that followed a kind has ended, or will: the graph may have objects of it. */
	readonly #ended = new Map<string, Promise<void>>();

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** Runs until the signal aborts; calls `ready` once every kind has been listed, or has had its time. */
	async run(signal: AbortSignal, ready: () => void): Promise<void> {
		const { informers, clock } = this.#deps;
		let changed = Promise.withResolvers<void>();
		let tries = 0;
		using following = new DisposableStack();
		for (const informer of [informers.get(CUSTOM_RESOURCE_DEFINITIONS), informers.get(API_SERVICES)])
			following.use(
				informer.subscribe(() => {
					tries = 0;
					changed.resolve();
				}),
			);
		const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
		let first = true;
		while (!signal.aborted) {
			changed = Promise.withResolvers<void>();
			const isComplete = await this.#sync(signal);
			if (first) {
				await this.#firstLists(aborted);
				if (!signal.aborted) ready();
				first = false;
			}
			using _again = isComplete ? undefined : clock.after(delayMs(AGAIN, tries++, clock.random()), changed.resolve);
			await Promise.race([changed.promise, aborted]);
		}
		await Promise.all(this.#ended.values());
	}

	async #firstLists(aborted: Promise<void>): Promise<void> {
		const { clock, log } = this.#deps;
		const missing = new Set(this.#running.keys());
		const listed = Promise.all([...this.#running].map(([name, { synced }]) => synced.then(() => missing.delete(name))));
		const enough = Promise.withResolvers<void>();
		using _timer = clock.after(FIRST_MS, enough.resolve);
		const isOver = await Promise.race([listed, enough.promise.then(() => true), aborted]);
		if (isOver === true) log.warn('not all kinds could be listed: garbage of the others is collected', { missing: [...missing].join() });
	}

	/** Answers whether discovery shows all that is registered. */
	async #sync(signal: AbortSignal): Promise<boolean> {
		const { client, clock, log, onKinds } = this.#deps;
		let found: Discovered | undefined;
		while (found === undefined) {
			try {
				found = await discoverFresh(client, signal);
			} catch (error) {
				if (signal.aborted) return true;
				log.warn('cannot discover resources', { reason: messageOf(error), retryMs: RETRY_MS });
				await clock.sleep(RETRY_MS, signal).catch(() => {});
				if (signal.aborted) return true;
			}
		}
		const registered = this.#registered();
		const served = new Map(found.resources.map((r) => [`${r.group}/${r.plural}`, r]));
		// What is only unavailable is followed on: its objects are still there.
		for (const [name, { resource }] of this.#running)
			if (!served.has(name) && isRegistered(resource, found, registered)) served.set(name, resource);
		onKinds([...served.values()]);
		const wanted = new Map([...served].filter(([, resource]) => isFollowed(resource)));
		for (const [name, { resource, stop }] of this.#running)
			if (!isSame(resource, wanted.get(name))) {
				stop.abort();
				this.#running.delete(name);
			}
		for (const [name, resource] of wanted) if (!this.#running.has(name)) this.#start(name, resource, signal);
		return missingIn(found, registered).length === 0;
	}

	#registered(): Registered {
		const { informers } = this.#deps;
		return { definitions: informers.get(CUSTOM_RESOURCE_DEFINITIONS).lister.list(), services: informers.get(API_SERVICES).lister.list() };
	}

	#start(name: string, resource: DiscoveredResource, signal: AbortSignal): void {
		const stop = new AbortController();
		const synced = Promise.withResolvers<void>();
		const both = AbortSignal.any([signal, stop.signal]);
		const done = this.#follow(resource, this.#ended.get(name), both, synced.resolve).catch((error: unknown) => {
			if (!both.aborted) this.#deps.log.error('stopped following a kind', { kind: resource.kind, reason: messageOf(error), error });
		});
		this.#ended.set(name, done);
		this.#running.set(name, { resource, stop, synced: synced.promise });
	}

	/** @param before the end of who followed the kind before, as of another version */
	async #follow(resource: DiscoveredResource, before: Promise<void> | undefined, signal: AbortSignal, synced: () => void): Promise<void> {
		const { client, clock, log, graph, enqueue } = this.#deps;
		await before;
		let begun = before !== undefined;
		/** Of a list that comes again: what is not in it has gone. */
		let arriving: Set<string> | undefined;
		const observe = (object: KubeObject): void => {
			arriving?.add(object.metadata.uid ?? '');
			for (const uid of graph.observe(resource, object)) enqueue(uid);
		};
		const forget = (uid: string): void => {
			for (const again of graph.forget(uid)) enqueue(again);
		};
		const take = (event: ReflectorEvent<KubeObject>): void => {
			switch (event.type) {
				case 'init':
					arriving = begun ? new Set() : undefined;
					begun = true;
					break;
				case 'initApply':
				case 'apply':
					observe(event.object);
					break;
				case 'initDelete':
					arriving?.delete(event.object.metadata.uid ?? '');
					forget(event.object.metadata.uid ?? '');
					break;
				case 'initDone': {
					const arrived = arriving;
					arriving = undefined;
					if (arrived !== undefined) for (const uid of [...graph.uidsOf(resource)]) if (!arrived.has(uid)) forget(uid);
					synced();
					break;
				}
				case 'delete':
					forget(event.object.metadata.uid ?? '');
					break;
			}
		};
		for await (const batch of reflectBatches({ client, clock, log, resource }, signal)) for (const event of batch) take(event);
	}
}

/** A kind is followed anew in another version: the one before may not be served any more. */
function isSame(followed: DiscoveredResource, wanted: DiscoveredResource | undefined): boolean {
	return wanted !== undefined && (['version', 'kind', 'namespaced'] as const).every((field) => followed[field] === wanted[field]);
}
