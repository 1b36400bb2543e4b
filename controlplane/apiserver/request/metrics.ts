/** Counts and times of requests, under upstream's names. */
import { Counter, DEFAULT_BUCKETS, SeriesHistogram, type Registry, type Series } from '../../../base/metrics.ts';
import type { RequestInfo, ResourceInfo } from './request-info.ts';

type Label = 'verb' | 'group' | 'version' | 'resource' | 'subresource';

/** Requests of one kind since they were last counted into the registry's counter. */
interface Kept {
	readonly labels: Readonly<Record<Label, string>>;
	readonly codes: Map<number, number>;
	readonly seconds: Series | undefined;
}

export class RequestMetrics {
	readonly #seconds: SeriesHistogram;
	readonly #kept = new Map<string, Kept>();
	/** The same paths are asked for over and over, with the same object. */
	readonly #known = new WeakMap<ResourceInfo, Kept>();

	constructor(registry: Registry) {
		const names = ['verb', 'group', 'version', 'resource', 'subresource'] as const;
		const kept = this.#kept;
		new Counter<Label | 'code'>({
			name: 'apiserver_request_total',
			help: 'Counter of apiserver requests broken out for each verb, group, version, resource, subresource and HTTP response code.',
			labelNames: [...names, 'code'],
			registers: [registry],
			collect() {
				for (const { labels, codes } of kept.values()) {
					for (const [code, count] of codes) this.inc({ ...labels, code: String(code) }, count);
					codes.clear();
				}
			},
		});
		this.#seconds = new SeriesHistogram({
			name: 'apiserver_request_duration_seconds',
			help: 'Response latency distribution in seconds for each verb, group, version, resource and subresource.',
			buckets: DEFAULT_BUCKETS,
			registers: [registry],
		});
	}

	observe(info: RequestInfo, code: number, seconds: number): void {
		if (info.type === 'path') return;
		let kept = this.#known.get(info);
		if (kept === undefined) this.#known.set(info, (kept = this.#of(info)));
		kept.codes.set(code, (kept.codes.get(code) ?? 0) + 1);
		kept.seconds?.observe(seconds);
	}

	#of({ verb, group, version, resource, subresource }: ResourceInfo): Kept {
		const key = `${verb}/${group}/${version}/${resource}/${subresource}`;
		let kept = this.#kept.get(key);
		if (kept === undefined) {
			const labels = { verb: verb.toUpperCase(), group, version, resource, subresource };
			// A watch's time says nothing but how long it was wanted.
			kept = { labels, codes: new Map(), seconds: verb === 'watch' ? undefined : this.#seconds.series(labels) };
			this.#kept.set(key, kept);
		}
		return kept;
	}
}
