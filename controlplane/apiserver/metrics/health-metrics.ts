/** Results of health checks, for /metrics/slis: under the names that every component has. */
import { Counter, Gauge, type Registry } from '../../../base/metrics.ts';

export class HealthMetrics {
	readonly #last: Gauge<'name' | 'type'>;
	readonly #all: Counter<'name' | 'type' | 'status'>;

	constructor(registry: Registry) {
		const registers = [registry];
		this.#last = new Gauge({
			name: 'kubernetes_healthcheck',
			help: 'This metric records the result of a single healthcheck.',
			labelNames: ['name', 'type'],
			registers,
		});
		this.#all = new Counter({
			name: 'kubernetes_healthchecks_total',
			help: 'This metric records the results of all healthcheck.',
			labelNames: ['name', 'type', 'status'],
			registers,
		});
	}

	note(type: string, name: string, isHealthy: boolean): void {
		this.#last.set({ name, type }, isHealthy ? 1 : 0);
		this.#all.inc({ name, type, status: isHealthy ? 'success' : 'error' });
	}
}
