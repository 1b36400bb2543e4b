/** /metrics in the Prometheus text form. A DELETE begins anew (component-base HandlerWithReset); any other method is answered as GET. */
import type { Registry } from '../../../base/metrics.ts';
import { documentCompressed } from '../answer/compressed.ts';
import type { ApiResponse, Handler } from '../contracts.ts';
import { exposition } from '../metrics/exposition.ts';

export function metricsHandler(metrics: Registry, startedAt: number): Handler {
	/** Whoever scrapes sees that the counters began anew. */
	const started = { 'process-start-time-unix': String(Math.floor(startedAt / 1000)) };
	return async (request) => {
		if (request.method === 'DELETE') {
			reset(metrics);
			return text('metrics reset\n', 'text/plain; charset=utf-8');
		}
		const page = text(await exposition(metrics), 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores');
		return documentCompressed(request, { ...page, headers: { ...page.headers, ...started } });
	};
}

/** Upstream forgets the series of what has labels, and nothing else. */
function reset(metrics: Registry): void {
	for (const metric of metrics.getMetricsAsArray() as readonly unknown[] as readonly Resettable[])
		if (metric.labelNames === undefined || metric.labelNames.length > 0) metric.reset();
}

interface Resettable {
	/** Absent: its series have labels of their own. */
	readonly labelNames?: readonly string[];
	reset(): void;
}

function text(body: string, type: string): Extract<ApiResponse, { type: 'bytes' }> {
	return { type: 'bytes', status: 200, headers: { 'content-type': type }, body: Buffer.from(body) };
}
