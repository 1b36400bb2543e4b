/** What lists read and gave, and what watches began with, under upstream's names: memory is upstream's watch cache. */
import { SeriesCounter, type Count, type Registry } from '../../../base/metrics.ts';
import type { Kind } from '../registry/kinds.ts';
import type { Listed } from '../registry/list.ts';
import { StoredListMetrics } from './stored-list-metrics.ts';

interface Series {
	readonly lists: Count;
	readonly fetched: Count;
	readonly returned: Count;
	/** Of the newest. */
	readonly consistent: Count;
	/** What watches began with. */
	readonly begun: Count;
}

export class ListMetrics {
	readonly #lists: SeriesCounter;
	readonly #fetched: SeriesCounter;
	readonly #returned: SeriesCounter;
	readonly #consistent: SeriesCounter;
	readonly #begun: SeriesCounter;
	readonly #stored: StoredListMetrics;
	/** Versions of a kind count as one. */
	readonly #series = new Map<string, Series>();

	constructor(registry: Registry) {
		this.#stored = new StoredListMetrics(registry);
		const counter = (name: string, help: string): SeriesCounter =>
			new SeriesCounter({ name: `apiserver_${name}`, help, registers: [registry] });
		this.#lists = counter('cache_list_total', 'Number of LIST requests served from watch cache');
		this.#fetched = counter(
			'cache_list_fetched_objects_total',
			'Number of objects read from watch cache in the course of serving a LIST request',
		);
		this.#returned = counter('cache_list_returned_objects_total', 'Number of objects returned for a LIST request from watch cache');
		this.#consistent = counter('watch_cache_consistent_read_total', 'Counter for consistent reads from cache.');
		this.#begun = counter('init_events_total', 'Counter of init events processed in watch cache broken by resource type.');
	}

	listed(kind: Kind, found: Listed): void {
		const { fetched, entries, isNewest = false, isStored = false } = found;
		if (isStored) return this.#stored.listed(kind, found);
		const series = this.#of(kind);
		series.lists.value++;
		series.fetched.value += fetched;
		series.returned.value += entries.length;
		if (isNewest) series.consistent.value++;
	}

	begun(kind: Kind, objects: number): void {
		this.#of(kind).begun.value += objects;
	}

	#of({ resource: { group, plural: resource } }: Kind): Series {
		const key = `${resource}.${group}`;
		let series = this.#series.get(key);
		if (series === undefined) {
			// Upstream's indexes are of pods by their node, and of few others; here there are none.
			const labels = { group, resource, index: '' };
			series = {
				lists: this.#lists.series(labels),
				fetched: this.#fetched.series(labels),
				returned: this.#returned.series({ group, resource }),
				// There is nothing to fall back to.
				consistent: this.#consistent.series({ group, resource, success: 'true', fallback: 'false' }),
				begun: this.#begun.series({ group, resource }),
			};
			this.#series.set(key, series);
		}
		return series;
	}
}
