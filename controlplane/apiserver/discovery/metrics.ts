/** /metrics in the Prometheus text form. */
import type { Registry } from '../../../base/metrics.ts';
import type { Handler } from '../contracts.ts';

export function metricsHandler(metrics: Registry): Handler {
	return async () => ({
		type: 'bytes',
		status: 200,
		headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores' },
		body: Buffer.from(await metrics.metrics()),
	});
}
