/** How often service accounts' tokens were used, by their sort, under upstream's names. */
import { Counter, type Registry } from '../../../base/metrics.ts';

/** `legacy`: of a Secret. Of those with an extended life: `stale` once it should have been renewed, `valid` before. */
export type TokenUse = 'legacy' | 'valid' | 'stale';

const WHAT: Readonly<Record<TokenUse, string>> = {
	legacy: 'Cumulative legacy service account tokens used',
	stale: 'Cumulative stale projected service account tokens used',
	valid: 'Cumulative valid projected service account tokens used',
};

export class ServiceAccountMetrics {
	readonly #uses: Record<TokenUse, number> = { legacy: 0, stale: 0, valid: 0 };

	constructor(registry: Registry) {
		const uses = this.#uses;
		for (const use of ['legacy', 'stale', 'valid'] as const)
			new Counter({
				name: `serviceaccount_${use}_tokens_total`,
				help: WHAT[use],
				registers: [registry],
				collect() {
					this.reset();
					this.inc(uses[use]);
				},
			});
	}

	used(use: TokenUse): void {
		this.#uses[use]++;
	}
}
