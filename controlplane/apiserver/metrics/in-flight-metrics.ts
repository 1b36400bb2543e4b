/** How many requests are served and wait at once, under upstream's names: the most since the last look. */
import { Gauge, type Registry } from '../../../base/metrics.ts';
import type { Clock } from '../../../base/clock.ts';
import type { ReadsAndWrites } from '../fairness/metrics.ts';

export function inFlightMetrics(registry: Registry, kinds: ReadsAndWrites, clock: Clock): void {
	const gauge = (name: string, help: string, phase: 'executing' | 'waiting'): void => {
		new Gauge<'request_kind'>({
			...{ name, help, labelNames: ['request_kind'], registers: [registry] },
			collect() {
				for (const kind of ['mutating', 'readOnly'] as const)
					this.set({ request_kind: kind }, kinds[kind][phase].take(clock.monotonic()).max);
			},
		});
	};
	gauge(
		'apiserver_current_inflight_requests',
		'Maximal number of currently used inflight request limit of this apiserver per request kind in last second.',
		'executing',
	);
	gauge(
		'apiserver_current_inqueue_requests',
		'Maximal number of queued requests in this apiserver per request kind in last second.',
		'waiting',
	);
}
