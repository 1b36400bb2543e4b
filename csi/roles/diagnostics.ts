/** Metrics and health of roles over HTTP, by the names and paths of upstream's sidecars (csi-lib-utils: standardflags, metrics, leaderelection). */
import { Histogram, type Registry } from '../../base/metrics.ts';
import type { Service } from '../../base/service.ts';
import type { LeaderElection } from '../../client/leader.ts';
import type { FinishedCall } from '../../wire/grpc/method.ts';
import { createHttpService, type HttpOptions } from './http-service.ts';

export interface DiagnosticsOptions extends HttpOptions {
	/** --metrics-path */
	readonly metricsPath: string;
}

const HEALTH_PATH = '/healthz/leader-election';

/** Without leases their health has no path. */
export function createDiagnostics(options: DiagnosticsOptions, metrics: Registry, elections: readonly LeaderElection[]): Service {
	return createHttpService('csi-diagnostics', options, {
		[options.metricsPath]: async () => ({ status: 200, text: await metrics.metrics(), contentType: metrics.contentType }),
		...(elections.length > 0 && {
			[HEALTH_PATH]: () => {
				const failed = elections.flatMap((election) => election.health() ?? []);
				return Promise.resolve(
					failed.length === 0 ? { status: 200, text: 'ok' } : { status: 500, text: `internal server error: ${failed.join('; ')}` },
				);
			},
		}),
	});
}

const CALLS = 'csi_sidecar_operations_seconds';
/** Seconds. */
const BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];

/** Counts the calls of a driver. */
export function callMetrics(registry: Registry): (driverName: string, call: FinishedCall) => void {
	const known = registry.getSingleMetric(CALLS) as Histogram | undefined;
	const seconds =
		known ??
		new Histogram({
			name: CALLS,
			help: 'Container Storage Interface operation duration with gRPC error code status total',
			labelNames: ['driver_name', 'method_name', 'grpc_status_code'],
			buckets: BUCKETS,
			registers: [registry],
		});
	return (driver_name, { method: method_name, code: grpc_status_code, ms }) =>
		seconds.observe({ driver_name, method_name, grpc_status_code }, ms / 1000);
}
