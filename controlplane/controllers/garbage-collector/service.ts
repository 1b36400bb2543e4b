/** The garbage collector as a Service: the graph is complete before the first decision is made. */
import type { OwnerReference } from '../../../api/gen/types.ts';
import { goQuote } from '../../../api/go-quote.ts';
import { apiVersionOf, splitKey } from '../../../api/resource.ts';
import type { Clock } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { Registry } from '../../../base/metrics.ts';
import type { Service } from '../../../base/service.ts';
import type { Client } from '../../../client/client.ts';
import type { EventRecorder } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import { createWorkQueue } from '../../../client/workqueue.ts';
import { retryingConflicts } from '../conflicts.ts';
import type { DiscoveredResource } from '../discovered.ts';
import { Collector } from './collector.ts';
import { GraphFeed } from './feed.ts';
import { OwnerGraph, type GraphNode } from './graph.ts';
import { groupOf } from './identity.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics?: Registry;
	readonly recorder: EventRecorder;
	readonly after?: readonly string[];
}

/** Upstream's name, also of its queue and its service account. */
export const GARBAGE_COLLECTOR = 'generic-garbage-collector';
/** Upstream's --concurrent-gc-syncs. */
const WORKERS = 20;

export function garbageCollector(deps: Deps): Service {
	const { client, informers, clock, metrics } = deps;
	const log = deps.log.with({ controller: GARBAGE_COLLECTOR });
	return {
		name: GARBAGE_COLLECTOR,
		after: deps.after ?? [],
		async run(signal, ready) {
			const graph = new OwnerGraph((dependent, ref) => tellMisplaced(deps.recorder, dependent, ref));
			const queue = createWorkQueue({
				name: GARBAGE_COLLECTOR,
				clock,
				...(metrics === undefined ? {} : { metrics }),
				onError: (key, error, retryMs) =>
					log.warn('cannot collect', { uid: key, object: graph.get(key)?.key, reason: messageOf(error), retryMs: Math.round(retryMs) }),
			});
			const kinds = new Kinds();
			const collector = new Collector({
				client,
				clock,
				graph,
				enqueue: (uid) => queue.add(uid),
				resourceOf: (apiVersion, kind) => kinds.get(apiVersion, kind),
			});
			const feed = new GraphFeed({
				client,
				informers,
				clock,
				log,
				graph,
				enqueue: (uid) => queue.add(uid),
				onKinds: (all) => {
					if (kinds.set(all)) collector.kindsChanged();
				},
			});
			const fed = Promise.withResolvers<void>();
			signal.addEventListener('abort', () => fed.resolve(), { once: true });
			const feeding = feed.run(signal, fed.resolve);
			await fed.promise;
			if (!signal.aborted) {
				ready();
				await queue.run(
					WORKERS,
					retryingConflicts((uid, stop) => collector.reconcile(uid, stop), clock),
					signal,
				);
			}
			await feeding;
		},
	};
}

/** An owner of another namespace is no owner: what refers to it will be deleted, unless it has others. */
function tellMisplaced(recorder: EventRecorder, { resource, key, uid }: GraphNode, ref: OwnerReference): void {
	const { namespace, name } = splitKey(key);
	const about = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...(namespace === undefined ? {} : { namespace }), name, uid };
	const owner = `[${ref.apiVersion}/${ref.kind}, namespace: ${namespace ?? ''}, name: ${ref.name}, uid: ${ref.uid}]`;
	const message = `ownerRef ${owner} does not exist in namespace ${goQuote(namespace ?? '')}`;
	recorder.event(about, 'Warning', 'OwnerRefInvalidNamespace', message);
}

/** Served kinds by apiVersion and kind; any version of a group finds the served one. */
class Kinds {
	readonly #byKind = new Map<string, DiscoveredResource>();

	/** Answers whether there are some that were not known before. */
	set(resources: readonly DiscoveredResource[]): boolean {
		const before = new Set(this.#byKind.keys());
		this.#byKind.clear();
		for (const resource of resources) if (resource.verbs.includes('get')) this.#byKind.set(`${resource.group}/${resource.kind}`, resource);
		return [...this.#byKind.keys()].some((kind) => !before.has(kind));
	}

	get(apiVersion: string, kind: string): DiscoveredResource | undefined {
		return this.#byKind.get(`${groupOf(apiVersion)}/${kind}`);
	}
}
