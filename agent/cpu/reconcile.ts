/** Keeps containers that run to the processors that they may have: those that are shared become fewer and more again. */
import { linked } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { formatCpuList } from '../../host/cpu-list.ts';
import type { PodRuntime, Runtime } from '../runtime/runtime.ts';
import type { StaticCpus } from './static-cpus.ts';

export class CpuKeeper {
	/** What the runtime was last told, by container. */
	#told = new Map<string, string>();
	#wake: (() => void) | undefined;
	#changed = false;

	/** Look again soon. */
	soon(): void {
		this.#changed = true;
		this.#wake?.();
	}

	/** Until the signal aborts; what failed is tried again after the period. */
	async run(
		cpus: StaticCpus,
		deps: { readonly runtime: Runtime; readonly clock: Clock; readonly log: Log },
		periodMs: number,
		signal: AbortSignal,
	): Promise<void> {
		while (!signal.aborted) {
			this.#changed = false;
			try {
				await this.keep(cpus, deps.runtime, deps.log, signal);
			} catch (error) {
				if (!signal.aborted) deps.log.warn('cannot see which containers run', { reason: messageOf(error) });
			}
			if (this.#changed) continue;
			using woken = linked(signal);
			this.#wake = () => woken.abort();
			await deps.clock.sleep(periodMs, woken.signal).catch(() => {});
			this.#wake = undefined;
		}
	}

	async keep(cpus: StaticCpus, runtime: Runtime, log: Log, signal: AbortSignal): Promise<void> {
		const wanted = wantedCpus(await runtime.pods(signal), cpus);
		const told = new Map<string, string>();
		for (const [id, list] of wanted) {
			if (this.#told.get(id) !== list)
				try {
					await runtime.keepToCpus(id, list, signal);
				} catch (error) {
					if (signal.aborted) throw error;
					log.warn('a container is not kept to its processors', { container: id, cpus: list, reason: messageOf(error) });
					continue;
				}
			told.set(id, list);
		}
		this.#told = told;
	}
}

/** Of the containers that run, by id. Pure. */
export function wantedCpus(pods: readonly PodRuntime[], cpus: Pick<StaticCpus, 'of'>): ReadonlyMap<string, string> {
	const found = new Map<string, string>();
	for (const { uid, containers } of pods)
		for (const { id, name, state } of containers) {
			const list = state === 'running' ? formatCpuList(cpus.of(uid, name)) : '';
			if (list !== '') found.set(id, list);
		}
	return found;
}
