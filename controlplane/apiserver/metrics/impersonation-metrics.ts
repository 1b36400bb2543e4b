/** How often someone acted as someone else, in which mode, under upstream's names. */
import { Counter, SeriesHistogram, type Registry, type Series } from '../../../base/metrics.ts';

const SECONDS = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);
const MODES = ['associated-node', 'arbitrary-node', 'serviceaccount', 'user-info'];

export class ImpersonationMetrics {
	readonly #attempts: Pair;
	readonly #authorizations: Pair;

	constructor(registry: Registry) {
		const what = 'split by mode and decision.';
		this.#attempts = pair(registry, 'attempts', 'attempts_duration_seconds', {
			count: `Total number of impersonation attempts ${what}`,
			duration: `Latency of impersonation attempts in seconds ${what}`,
		});
		this.#authorizations = pair(registry, 'authorization_attempts', 'authorization_attempts_duration_seconds', {
			count: `Total number of authorization checks made by the impersonation handler ${what}`,
			duration: `Latency of authorization checks made by the impersonation handler in seconds ${what}`,
		});
	}

	/** @param constraint the verb that allowed it */
	attempt(constraint: string | undefined, allowed: boolean, seconds: number): void {
		this.#attempts.note(allowed ? modeOf(constraint ?? 'impersonate') : '', allowed, seconds);
	}

	authorization(verb: string, allowed: boolean, seconds: number): void {
		this.#authorizations.note(modeOf(verb), allowed, seconds);
	}
}

interface Pair {
	note(mode: string, allowed: boolean, seconds: number): void;
}

function pair(registry: Registry, count: string, duration: string, help: { readonly count: string; readonly duration: string }): Pair {
	const registers = [registry];
	const named = (name: string): string => `apiserver_impersonation_${name}`;
	const counter = new Counter<'mode' | 'decision'>({
		...{ name: named(`${count}_total`), help: help.count, labelNames: ['mode', 'decision'], registers },
	});
	const histogram = new SeriesHistogram({ name: named(duration), help: help.duration, buckets: SECONDS, registers });
	const known = new Map<string, Series>();
	return {
		note(mode, allowed, seconds) {
			const labels = { mode, decision: allowed ? 'allowed' : 'denied' };
			counter.inc(labels);
			const key = `${mode} ${labels.decision}`;
			let series = known.get(key);
			if (series === undefined) {
				series = histogram.series(labels);
				known.set(key, series);
			}
			series.observe(seconds);
		},
	};
}

function modeOf(verb: string): string {
	if (verb === 'impersonate') return 'legacy';
	return MODES.find((mode) => verb === `impersonate:${mode}` || verb.startsWith(`impersonate-on:${mode}:`)) ?? 'unknown';
}
