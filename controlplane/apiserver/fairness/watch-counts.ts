/** How many watch a collection, to estimate what a write to it costs after its answer (upstream's WatchTracker). */
import { nameOf } from '../request/attributes.ts';
import type { ResourceInfo } from '../request/request-info.ts';

/** Watches of pods by node see the events of that node only. */
const INDEXED: Readonly<Record<string, string>> = { pods: 'spec.nodeName' };

export class WatchCounts {
	readonly #counts = new Map<string, number>();

	/** Counts one more until disposed. */
	add(info: ResourceInfo, query: URLSearchParams): () => void {
		const indexed = INDEXED[info.resource];
		if (indexed !== undefined && (query.get('fieldSelector') ?? '').split(',').some((term) => isPinned(term, indexed))) return nothing;
		const key = keyOf(info, info.namespace, nameOf(info, query));
		this.#change(key, 1);
		let over = false;
		return () => {
			if (!over) this.#change(key, -1);
			over = true;
		};
	}

	/** Those who see a change of this object: watchers of all namespaces, of its own, and of it alone. */
	of(info: ResourceInfo): number {
		const { namespace, name } = info;
		let count = this.#count(info, '', '');
		if (namespace !== '') count += this.#count(info, namespace, '');
		if (name !== '') {
			count += this.#count(info, '', name);
			if (namespace !== '') count += this.#count(info, namespace, name);
		}
		return count;
	}

	#count(info: ResourceInfo, namespace: string, name: string): number {
		return this.#counts.size === 0 ? 0 : (this.#counts.get(keyOf(info, namespace, name)) ?? 0);
	}

	#change(key: string, delta: number): void {
		const count = (this.#counts.get(key) ?? 0) + delta;
		if (count === 0) this.#counts.delete(key);
		else this.#counts.set(key, count);
	}
}

function keyOf({ group, resource }: ResourceInfo, namespace: string, name: string): string {
	return `${group}/${resource}/${namespace}/${name}`;
}

/** "spec.nodeName=n1", but not "spec.nodeName=" nor "spec.nodeName!=n1". */
function isPinned(term: string, field: string): boolean {
	const [, value = ''] = new RegExp(`^${field.replaceAll('.', String.raw`\.`)}==?([^=].*)$`).exec(term) ?? [];
	return value !== '';
}

function nothing(): void {}
