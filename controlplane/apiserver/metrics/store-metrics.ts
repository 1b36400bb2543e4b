/** What is stored and what watchers are sent, under upstream's names. */
import { Counter, Gauge, Histogram, SeriesHistogram, type Registry } from '../../../base/metrics.ts';
import type { Resource } from '../../../api/resource.ts';
import type { ResourceRow } from '../../../api/resources.ts';
import { sizeOf, type Store } from '../../storage/store.ts';
import type { WatchScope } from '../registry/context.ts';
import type { Kind, Kinds } from '../registry/kinds.ts';

const LIST_SECONDS = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60];
const EVENT_BYTES = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072];
/** Objects whose sizes stand for all of their kind. */
const SAMPLED = 16;
/** As many as a metric can tell apart. */
const VERSIONS = 10n ** 15n;

/** Numbers of objects are looked up when they are asked for. */
export function storeMetrics(registry: Registry, store: Store, kinds: Kinds): void {
	const registers = [registry];
	const each = function* (): Generator<{
		readonly group: string;
		readonly resource: string;
		readonly count: number;
		readonly bytes: number;
	}> {
		const seen = new Set<string>();
		for (const { prefix, resource } of kinds.all()) {
			if (seen.has(prefix) || !isKept(resource)) continue;
			seen.add(prefix);
			const { entries, remaining } = store.list(prefix, { limit: SAMPLED });
			const count = entries.length + remaining;
			const bytes = entries.reduce((all, entry) => all + sizeOf(entry.value), 0);
			yield {
				group: resource.group,
				resource: resource.plural,
				count,
				bytes: entries.length === 0 ? 0 : Math.round((bytes / entries.length) * count),
			};
		}
	};
	new Gauge<'resource'>({
		...{ name: 'apiserver_storage_objects', labelNames: ['resource'], registers },
		help: '[DEPRECATED, consider using apiserver_resource_objects instead] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.',
		collect() {
			this.reset();
			for (const { group, resource, count } of each()) this.set({ resource: group === '' ? resource : `${resource}.${group}` }, count);
		},
	});
	new Gauge<'group' | 'resource'>({
		...{ name: 'apiserver_resource_objects', labelNames: ['group', 'resource'], registers },
		help: 'Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.',
		collect() {
			this.reset();
			for (const { group, resource, count } of each()) this.set({ group, resource }, count);
		},
	});
	new Gauge<'group' | 'resource'>({
		...{ name: 'apiserver_watch_cache_resource_version', labelNames: ['group', 'resource'], registers },
		help: 'Current resource version of watch cache broken by resource type. This is truncated to the 15 least significant digits.',
		collect() {
			this.reset();
			const version = Number(store.revision() % VERSIONS);
			for (const { resource } of kinds.all())
				if (isKept(resource) && !isUncached(resource)) this.set({ group: resource.group, resource: resource.plural }, version);
		},
	});
	new Gauge<'group' | 'resource'>({
		...{ name: 'apiserver_resource_size_estimate_bytes', labelNames: ['group', 'resource'], registers },
		help: 'Estimated size of stored objects in database. Estimate is based on sum of last observed sizes of serialized objects. In case of a fetching error, the value will be -1.',
		collect() {
			this.reset();
			for (const { group, resource, bytes } of each()) this.set({ group, resource }, bytes);
		},
	});
}

/** Reviews, bindings and the like are only answered. */
function isKept(resource: Resource & Partial<Pick<ResourceRow, 'verbs'>>): boolean {
	return resource.verbs === undefined || resource.verbs.includes('watch');
}

/** Upstream's Events have no watch cache (its --watch-cache-sizes). */
function isUncached({ group, plural }: Resource): boolean {
	return plural === 'events' && (group === '' || group === 'events.k8s.io');
}

/** Asked of the store when it is asked for; a store that is in memory only has none. */
export function diskMetrics(registry: Registry, store: Store): void {
	new Gauge<'storage_cluster_id'>({
		...{ name: 'apiserver_storage_size_bytes', labelNames: ['storage_cluster_id'], registers: [registry] },
		help: 'Size of the storage database file physically allocated in bytes.',
		async collect() {
			this.reset();
			const bytes = await store.diskBytes?.().catch(() => undefined);
			if (bytes !== undefined) this.set({ storage_cluster_id: 'etcd-0' }, bytes);
		},
	});
}

interface Sent {
	readonly labels: Record<'group' | 'version' | 'resource', string>;
	/** Since the counter was last read. */
	count: number;
	readonly sent: (bytes: number) => void;
}

export class WatchEventMetrics {
	readonly #sizes: SeriesHistogram;
	readonly #lists: Histogram<'group' | 'version' | 'resource' | 'scope'>;
	readonly #series = new Map<string, Sent>();

	constructor(registry: Registry) {
		const registers = [registry];
		const all = this.#series;
		this.#sizes = new SeriesHistogram({
			name: 'apiserver_watch_events_sizes',
			help: 'Watch event size distribution in bytes',
			buckets: EVENT_BYTES,
			registers,
		});
		this.#lists = new Histogram({
			...{ name: 'apiserver_watch_list_duration_seconds', labelNames: ['group', 'version', 'resource', 'scope'], registers },
			help: 'Response latency distribution in seconds for watch list requests broken by group, version, resource and scope.',
			buckets: LIST_SECONDS,
		});
		new Counter<'group' | 'version' | 'resource'>({
			...{ name: 'apiserver_watch_events_total', labelNames: ['group', 'version', 'resource'], registers },
			help: 'Number of events sent in watch clients',
			collect() {
				for (const series of all.values()) {
					if (series.count > 0) this.inc(series.labels, series.count);
					series.count = 0;
				}
			},
		});
	}

	listed({ resource: { group, version, plural } }: Kind, scope: WatchScope, seconds: number): void {
		this.#lists.observe({ group, version, resource: plural, scope }, seconds);
	}

	/** Counts an event of so many bytes that a watcher of the kind is sent. */
	of({ resource: { group, version, plural } }: Kind): (bytes: number) => void {
		const key = `${group}/${version}/${plural}`;
		let series = this.#series.get(key);
		if (series === undefined) {
			const labels = { group, version, resource: plural };
			const sizes = this.#sizes.series(labels);
			const made: Sent = {
				labels,
				count: 0,
				sent: (bytes) => {
					made.count++;
					sizes.observe(bytes);
				},
			};
			this.#series.set(key, (series = made));
		}
		return series.sent;
	}
}
