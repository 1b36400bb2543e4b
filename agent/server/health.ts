/** /healthz: is the agent alive, and how often it was asked (/metrics/slis). */
import { Counter, Gauge, Registry } from '../../base/metrics.ts';

export interface HealthAnswer {
	readonly status: number;
	readonly text: string;
}

export class Health {
	readonly #registry = new Registry();
	readonly #gauge = new Gauge({
		name: 'kubernetes_healthcheck',
		help: '[STABLE] This metric records the result of a single healthcheck.',
		labelNames: ['name', 'type'],
		registers: [this.#registry],
	});
	readonly #counter = new Counter({
		name: 'kubernetes_healthchecks_total',
		help: '[STABLE] This metric records the results of all healthcheck.',
		labelNames: ['name', 'type', 'status'],
		registers: [this.#registry],
	});
	readonly #checks: readonly (readonly [name: string, fault: () => string])[];

	/** @param fault why the agent no longer looks after its pods; empty while it does */
	constructor(fault: () => string) {
		this.#checks = [
			['ping', () => ''],
			['log', () => ''],
			['syncloop', fault],
		];
	}

	/** Undefined for a check that there is none of. @param only one check; all when absent */
	answer(only: string | undefined, query: URLSearchParams): HealthAnswer | undefined {
		const excluded = new Set(query.getAll('exclude'));
		const checks = this.#checks.filter(([name]) => (only === undefined ? !excluded.has(name) : name === only));
		if (only !== undefined && checks.length === 0) return undefined;
		const results = checks.map(([name, fault]) => ({ name, failed: this.#note(name, fault()) }));
		const failed = results.some((r) => r.failed);
		if (only !== undefined) return failed ? { status: 500, text: `internal server error: ${only} failed\n` } : { status: 200, text: 'ok' };
		if (!failed && !query.has('verbose')) return { status: 200, text: 'ok' };
		const lines = results.map((r) => (r.failed ? `[-]${r.name} failed: reason withheld` : `[+]${r.name} ok`));
		return { status: failed ? 500 : 200, text: `${lines.join('\n')}\nhealthz check ${failed ? 'failed' : 'passed'}\n` };
	}

	/** Every check as it stands, for /metrics/slis. */
	async metrics(): Promise<string> {
		for (const [name, fault] of this.#checks) this.#gauge.set({ name, type: 'healthz' }, fault() === '' ? 1 : 0);
		return this.#registry.metrics();
	}

	#note(name: string, fault: string): boolean {
		const failed = fault !== '';
		this.#gauge.set({ name, type: 'healthz' }, failed ? 0 : 1);
		this.#counter.inc({ name, type: 'healthz', status: failed ? 'error' : 'success' });
		return failed;
	}
}
