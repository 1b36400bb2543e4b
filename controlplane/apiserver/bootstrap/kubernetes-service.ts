/**
 * Keeps the Service "kubernetes" and, where no others share the store, its endpoints (upstream's kubernetesservice controller): made at the start,
 * and again when it goes. It may have to wait for an address, as while the default range of Services is replaced.
 */
import { SERVICES } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { createWorkQueue, type WorkQueue } from '../../../client/workqueue.ts';
import type { ObjectReader } from '../contracts.ts';

interface Deps {
	/** Makes what is missing, and tells whether anything was. */
	readonly ensure: (signal: AbortSignal) => Promise<boolean>;
	readonly reader: Pick<ObjectReader, 'onChange'>;
	readonly clock: Clock;
	readonly log: Log;
}

const KEY = 'default/kubernetes';
/** Upstream's interval (DefaultEndpointReconcilerInterval). */
const INTERVAL_MS = 10_000;

export class KubernetesService {
	readonly #deps: Deps;
	readonly #queue: WorkQueue;

	constructor(deps: Deps) {
		this.#deps = deps;
		this.#queue = createWorkQueue({
			...{ name: 'kubernetes-service', clock: deps.clock, backoff: { initialMs: INTERVAL_MS, maxMs: INTERVAL_MS } },
			onError: (_key, error) => this.#warn(error),
		});
	}

	/** One attempt; what fails is for `run`. Rejects when the signal aborts. */
	async begin(signal: AbortSignal): Promise<void> {
		try {
			await this.#deps.ensure(signal);
		} catch (error) {
			signal.throwIfAborted();
			this.#warn(error);
			this.#queue.addAfter(KEY, INTERVAL_MS);
		}
	}

	/** Until the signal aborts. */
	async run(signal: AbortSignal): Promise<void> {
		using _changes = this.#deps.reader.onChange(SERVICES, ({ key, after }) => {
			if (key === KEY && after === undefined) this.#queue.add(key);
		});
		// Looked at once more where something was made: whoever clears up behind a Service may have seen it go a moment later.
		const look = async (_key: string, stop: AbortSignal) => ((await this.#deps.ensure(stop)) ? { afterMs: INTERVAL_MS } : undefined);
		await this.#queue.run(1, look, signal);
	}

	#warn(error: unknown): void {
		this.#deps.log.warn('the Service kubernetes was not made', { why: messageOf(error) });
	}
}
