/** Claims of pods in numbers, under upstream's names. */
import type { Clock } from '../../base/clock.ts';
import { Histogram, type Registry } from '../../base/metrics.ts';
import type { FinishedCall } from '../../wire/grpc/method.ts';
import type { Family } from '../server/exposition.ts';

/** Prometheus ExponentialBucketsRange(.1, 40, 15). */
const BUCKETS = Array.from({ length: 15 }, (_, i) => 0.1 * 400 ** (i / 14));

export class DynamicFigures {
	readonly #operations: Histogram;
	readonly #calls: Histogram;

	constructor(registry: Registry) {
		this.#operations = new Histogram({
			name: 'dra_operations_duration_seconds',
			help: "[ALPHA] Latency histogram in seconds for the duration of handling all ResourceClaims referenced by a pod when the pod starts or stops. Identified by the name of the operation (PrepareResources or UnprepareResources) and separated by the success of the operation. The number of failed operations is provided through the histogram's overall count.",
			labelNames: ['operation_name', 'is_error'],
			buckets: BUCKETS,
			registers: [registry],
		});
		this.#calls = new Histogram({
			name: 'dra_grpc_operations_duration_seconds',
			help: '[ALPHA] Duration in seconds of the DRA gRPC operations',
			labelNames: ['driver_name', 'method_name', 'grpc_status_code'],
			buckets: BUCKETS,
			registers: [registry],
		});
	}

	/** A driver has answered, or has not. */
	called(driver_name: string, { method, code, ms }: FinishedCall): void {
		this.#calls.observe({ driver_name, method_name: method, grpc_status_code: code }, ms / 1000);
	}

	async measured(operation_name: 'PrepareResources' | 'UnprepareResources', clock: Clock, work: Promise<void>): Promise<void> {
		const from = clock.monotonic();
		let is_error = 'true';
		try {
			await work;
			is_error = 'false';
		} finally {
			this.#operations.observe({ operation_name, is_error }, (clock.monotonic() - from) / 1000);
		}
	}
}

/** Pure. @param claims the drivers of each claim that pods have */
export function claimsInUse(claims: readonly (readonly string[])[]): Family {
	const drivers = new Map<string, number>([['<any>', claims.length]]);
	for (const driver of claims.flatMap((names) => [...new Set(names)])) drivers.set(driver, (drivers.get(driver) ?? 0) + 1);
	return {
		name: 'dra_resource_claims_in_use',
		type: 'gauge',
		help: '[ALPHA] The number of ResourceClaims that are currently in use on the node, by driver name (driver_name label value) and across all drivers (special value <any> for driver_name). Note that the sum of all by-driver counts is not the total number of in-use ResourceClaims because the same ResourceClaim might use devices from different drivers. Instead, use the count for the <any> driver_name.',
		samples: [...drivers].map(([driver_name, value]) => ({ labels: { driver_name }, value })),
	};
}
