/** The runtime's event stream in numbers, under the names that upstream has for its evented PLEG. */
import { Counter, DEFAULT_BUCKETS, Histogram, type Registry } from '../../base/metrics.ts';

export class EventFigures {
	readonly opened: Counter;
	readonly failed: Counter;
	/** Between what happened and that it was heard of, seconds. */
	readonly latency: Histogram;

	constructor(registry: Registry) {
		const registers = [registry];
		const counter = (name: string, help: string): Counter =>
			new Counter({ name: `kubelet_evented_pleg_connection_${name}_count`, help: `[ALPHA] ${help}`, registers });
		this.opened = counter('success', 'The number of times a streaming client was obtained to receive CRI Events.');
		this.failed = counter(
			'error',
			'The number of errors encountered during the establishment of streaming connection with the CRI runtime.',
		);
		this.latency = new Histogram({
			name: 'kubelet_evented_pleg_connection_latency_seconds',
			help: '[ALPHA] The latency of streaming connection with the CRI runtime, measured in seconds.',
			buckets: DEFAULT_BUCKETS,
			registers,
		});
	}
}
