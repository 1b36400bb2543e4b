/** Counts and times of requests, under upstream's names. */
import { Counter, DEFAULT_BUCKETS, Histogram, type Registry } from '../../../base/metrics.ts';
import type { RequestInfo } from './request-info.ts';

export class RequestMetrics {
	readonly #total: Counter<'verb' | 'group' | 'version' | 'resource' | 'subresource' | 'code'>;
	readonly #seconds: Histogram<'verb' | 'group' | 'version' | 'resource' | 'subresource'>;

	constructor(registry: Registry) {
		const names = ['verb', 'group', 'version', 'resource', 'subresource'] as const;
		this.#total = new Counter({
			name: 'apiserver_request_total',
			help: 'Counter of apiserver requests broken out for each verb, group, version, resource, subresource and HTTP response code.',
			labelNames: [...names, 'code'],
			registers: [registry],
		});
		this.#seconds = new Histogram({
			name: 'apiserver_request_duration_seconds',
			help: 'Response latency distribution in seconds for each verb, group, version, resource and subresource.',
			labelNames: names,
			buckets: DEFAULT_BUCKETS,
			registers: [registry],
		});
	}

	observe(info: RequestInfo, code: number, seconds: number): void {
		if (info.type === 'path') return;
		const { verb, group, version, resource, subresource } = info;
		const labels = { verb: verb.toUpperCase(), group, version, resource, subresource };
		this.#total.inc({ ...labels, code: String(code) });
		if (verb !== 'watch') this.#seconds.observe(labels, seconds);
	}
}
