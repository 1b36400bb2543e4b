/** Whether the agent still hears of what runs: a full look at the runtime that is too long ago makes the node not ready. */
import type { Clock } from '../../base/clock.ts';
import { formatDuration } from '../../api/time.ts';

/** Upstream's thresholds: where looks are all there is, and where they are the safety net of an event stream. */
const UNHEALTHY_MS = 180_000;
const UNHEALTHY_WITH_EVENTS_MS = 600_000;

export class PlegHealth {
	readonly #clock: Clock;
	#lastAt: number;
	#thresholdMs = UNHEALTHY_WITH_EVENTS_MS;

	constructor(clock: Clock) {
		this.#clock = clock;
		this.#lastAt = clock.monotonic();
	}

	/** A full look succeeded. */
	looked(): void {
		this.#lastAt = this.#clock.monotonic();
	}

	withoutEvents(): void {
		this.#thresholdMs = UNHEALTHY_MS;
	}

	/** Empty while all is well; upstream's words. */
	fault(): string {
		const agoMs = this.#clock.monotonic() - this.#lastAt;
		if (agoMs <= this.#thresholdMs) return '';
		return `PLEG is not healthy: pleg was last seen active ${go(agoMs)} ago; threshold is ${go(this.#thresholdMs)}`;
	}
}

function go(ms: number): string {
	return formatDuration(BigInt(Math.round(ms * 1e6)));
}
