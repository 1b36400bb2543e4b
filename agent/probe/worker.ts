/** Runs one probe of one container for as long as the container lives, and tells when its verdict changes. */
import type { Probe } from '../../api/gen/types.ts';
import type { Clock } from '../../base/clock.ts';
import type { ProbeOutcome } from './run-probe.ts';

export type ProbeType = 'liveness' | 'readiness' | 'startup';
export type Verdict = 'success' | 'failure' | 'unknown';

export interface ProbeWorkerOptions {
	readonly type: ProbeType;
	readonly probe: Probe;
	readonly clock: Clock;
	/** When the container started, ms since the epoch. */
	readonly startedAt: number;
	/** The container was started by an agent before this one: a random share of the period is waited before the first try. */
	readonly spread: boolean;
	/** What the agent before found; a probe's usual first verdict when absent. */
	readonly before?: Verdict | undefined;
	run(signal: AbortSignal): Promise<ProbeOutcome>;
	/** Whether to probe now: liveness and readiness wait for the startup probe. */
	active(): boolean;
	changed(verdict: Verdict): void;
	told(outcome: ProbeOutcome): void;
}

/** Upstream tries again at once, up to three times, when a probe could not be made. */
const TRIES = 3;
const INITIAL: Readonly<Record<ProbeType, Verdict>> = { liveness: 'success', readiness: 'failure', startup: 'unknown' };

export class ProbeWorker {
	readonly #options: ProbeWorkerOptions;
	readonly #stop = new AbortController();
	#verdict: Verdict;
	#run = 0;
	#last: ProbeOutcome['result'] | undefined;

	constructor(options: ProbeWorkerOptions) {
		this.#options = options;
		this.#verdict = options.before ?? INITIAL[options.type];
	}

	get verdict(): Verdict {
		return this.#verdict;
	}

	stop(): void {
		this.#stop.abort();
	}

	/** Resolves when stopped, or when the verdict is final: a startup probe's, or a liveness failure. */
	async run(): Promise<void> {
		const { probe, clock, startedAt, spread } = this.#options;
		const signal = this.#stop.signal;
		if (this.#options.type === 'startup' && this.#verdict === 'success') return;
		const periodMs = (probe.periodSeconds ?? 10) * 1000;
		const initialMs = startedAt + (probe.initialDelaySeconds ?? 0) * 1000 - clock.now();
		try {
			await clock.sleep(Math.max(0, initialMs, spread ? clock.random() * periodMs : 0), signal);
			while (!signal.aborted) {
				if (this.#options.active() && (await this.#probe(signal))) return;
				await clock.sleep(this.#options.active() ? periodMs : Math.min(periodMs, 1000), signal);
			}
		} catch (error) {
			if (!signal.aborted) throw error;
		}
	}

	/** True when there is no more to find out. */
	async #probe(signal: AbortSignal): Promise<boolean> {
		const { type, probe } = this.#options;
		let outcome = await this.#options.run(signal);
		for (let i = 1; i < TRIES && outcome.result === 'error'; i++) outcome = await this.#options.run(signal);
		this.#options.told(outcome);
		if (outcome.result === 'error') return false;
		const result = outcome.result === 'failure' ? 'failure' : 'success';
		this.#run = this.#last === result ? this.#run + 1 : 1;
		this.#last = result;
		const threshold = result === 'failure' ? (probe.failureThreshold ?? 3) : (probe.successThreshold ?? 1);
		if (this.#run < threshold) return false;
		if (this.#verdict !== result) {
			this.#verdict = result;
			this.#options.changed(result);
		}
		return type === 'startup' || (type === 'liveness' && result === 'failure');
	}
}
