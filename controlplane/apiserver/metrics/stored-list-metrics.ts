/** Lists of older versions that memory does not know, under upstream's names: they are read from etcd. */
import { Counter, type Registry } from '../../../base/metrics.ts';
import type { Kind } from '../registry/kinds.ts';
import type { Listed } from '../registry/list.ts';

export class StoredListMetrics {
	readonly #lists: Counter<'group' | 'resource'>;
	readonly #fetched: Counter<'group' | 'resource'>;
	readonly #evaluated: Counter<'group' | 'resource'>;
	readonly #returned: Counter<'group' | 'resource'>;

	constructor(registry: Registry) {
		const counter = (name: string, help: string): Counter<'group' | 'resource'> =>
			new Counter({ name: `apiserver_storage_list_${name}`, help, labelNames: ['group', 'resource'], registers: [registry] });
		this.#lists = counter('total', 'Number of LIST requests served from storage');
		this.#fetched = counter('fetched_objects_total', 'Number of objects read from storage in the course of serving a LIST request');
		this.#evaluated = counter('evaluated_objects_total', 'Number of objects tested in the course of serving a LIST request from storage');
		this.#returned = counter('returned_objects_total', 'Number of objects returned for a LIST request from storage');
	}

	listed({ resource: { group, plural: resource } }: Kind, { fetched, entries }: Listed): void {
		const labels = { group, resource };
		this.#lists.inc(labels);
		this.#fetched.inc(labels, fetched);
		// Each is looked at.
		this.#evaluated.inc(labels, fetched);
		this.#returned.inc(labels, entries.length);
	}
}
