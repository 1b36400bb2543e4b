/** What lists read and gave, under upstream's names: all are served from memory, which is upstream's watch cache. */
import { SeriesCounter, type Count, type Registry } from '../../../base/metrics.ts';
import type { Kind } from '../registry/kinds.ts';

interface Series {
	readonly lists: Count;
	readonly fetched: Count;
	readonly returned: Count;
}

export class ListMetrics {
	readonly #lists: SeriesCounter;
	readonly #fetched: SeriesCounter;
	readonly #returned: SeriesCounter;
	/** Versions of a kind count as one. */
	readonly #series = new Map<string, Series>();

	constructor(registry: Registry) {
		const counter = (name: string, help: string): SeriesCounter =>
			new SeriesCounter({ name: `apiserver_cache_list_${name}`, help, registers: [registry] });
		this.#lists = counter('total', 'Number of LIST requests served from watch cache');
		this.#fetched = counter('fetched_objects_total', 'Number of objects read from watch cache in the course of serving a LIST request');
		this.#returned = counter('returned_objects_total', 'Number of objects returned for a LIST request from watch cache');
	}

	/** @param fetched how many objects were looked at */
	listed({ resource: { group, plural: resource } }: Kind, fetched: number, returned: number): void {
		const key = `${resource}.${group}`;
		let series = this.#series.get(key);
		if (series === undefined) {
			// Upstream's indexes are of pods by their node, and of few others; here there are none.
			const labels = { group, resource, index: '' };
			series = {
				lists: this.#lists.series(labels),
				fetched: this.#fetched.series(labels),
				returned: this.#returned.series({ group, resource }),
			};
			this.#series.set(key, series);
		}
		series.lists.value++;
		series.fetched.value += fetched;
		series.returned.value += returned;
	}
}
