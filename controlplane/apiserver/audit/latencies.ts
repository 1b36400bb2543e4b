/** Where a slow request spent its time, as upstream notes it in the audit log (`apiserver.latency.k8s.io/…`). Pure. */
import { formatDuration } from '../../../api/time.ts';
import type { LatencyLayer } from './latency-layer.ts';

/** Faster requests are not worth a note (upstream's endpoints/filters/audit.go). */
const SLOW_MS = 500;
const PREFIX = 'apiserver.latency.k8s.io/';
/** What is done at once by several: the longest counts, not the sum. */
const AT_ONCE: ReadonlySet<LatencyLayer> = new Set(['apf-queue-wait', 'authorization', 'validating-webhook']);

export class Latencies {
	readonly #ms = new Map<LatencyLayer, number>();

	took(layer: LatencyLayer, ms: number): void {
		const before = this.#ms.get(layer) ?? 0;
		this.#ms.set(layer, AT_ONCE.has(layer) ? Math.max(before, ms) : before + ms);
	}

	/** Nothing of a request that was fast, nor of layers that took no time. @param totalMs of the request */
	notes(totalMs: number): readonly (readonly [key: string, value: string])[] {
		if (totalMs <= SLOW_MS) return [];
		const layers = [...this.#ms].filter(([, ms]) => ms > 0);
		return layers.length === 0 ? [] : [...layers, ['total', totalMs] as const].map(([layer, ms]) => [PREFIX + layer, goText(ms)]);
	}
}

function goText(ms: number): string {
	return formatDuration(BigInt(Math.round(ms * 1e6)));
}
