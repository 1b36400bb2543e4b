/** How long what stands before a request's work took, under upstream's names of its filters. */
import { SeriesHistogram, type Registry, type Series } from '../../../base/metrics.ts';

const SECONDS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30];

/** Told only of those that let the request pass: who refuses it has its last word. Seconds. */
export class FilterMetrics {
	readonly authentication: Series;
	readonly audit: Series;
	readonly impersonation: Series;
	readonly fairness: Series;
	readonly authorization: Series;

	constructor(registry: Registry) {
		const all = new SeriesHistogram({
			name: 'apiserver_request_filter_duration_seconds',
			help: 'Request filter latency distribution in seconds, for each filter type',
			buckets: SECONDS,
			registers: [registry],
		});
		const of = (filter: string): Series => all.series({ filter });
		this.authentication = of('authentication');
		this.audit = of('audit');
		this.impersonation = of('constrainedimpersonation');
		this.fairness = of('priorityandfairness');
		this.authorization = of('authorization');
	}
}
