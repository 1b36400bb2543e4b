/** How often service accounts' tokens were used, by their sort, under upstream's names. */
import { Counter, type Registry } from '../../../base/metrics.ts';

/** `legacy`: of a Secret, made by hand or automatically. Of those with an extended life: `stale` once it should have been renewed, `valid` before. */
export type TokenUse = 'legacy' | 'manual' | 'automatic' | 'invalid' | 'valid' | 'stale';

const COUNTED: Readonly<Record<TokenUse, readonly [name: string, help: string]>> = {
	legacy: ['legacy_tokens_total', 'Cumulative legacy service account tokens used'],
	manual: ['legacy_manual_token_uses_total', 'Cumulative manually created legacy tokens used'],
	automatic: ['legacy_auto_token_uses_total', 'Cumulative auto-generated legacy tokens used'],
	invalid: ['invalid_legacy_auto_token_uses_total', 'Cumulative invalid auto-generated legacy tokens used'],
	stale: ['stale_tokens_total', 'Cumulative stale projected service account tokens used'],
	valid: ['valid_tokens_total', 'Cumulative valid projected service account tokens used'],
};

export class ServiceAccountMetrics {
	readonly #uses: Record<TokenUse, number> = { legacy: 0, manual: 0, automatic: 0, invalid: 0, stale: 0, valid: 0 };

	constructor(registry: Registry) {
		const uses = this.#uses;
		for (const [use, [name, help]] of Object.entries(COUNTED) as [TokenUse, readonly [string, string]][])
			new Counter({
				...{ name: `serviceaccount_${name}`, help, registers: [registry] },
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
