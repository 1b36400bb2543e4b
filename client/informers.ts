/** The informers of one process: one for each kind and selection, shared by all who ask for it. */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Service } from '../base/service.ts';
import type { KubeObject, Resource } from '../api/resource.ts';
import type { Client } from './client.ts';
import { createInformer, informerName, type Informer, type Selection } from './informer.ts';

export interface InformersOptions {
	readonly client: Client;
	readonly clock: Clock;
	readonly log: Log;
	/** The name of the service; "informers" unless told. */
	readonly name?: string;
	/** Services that must be ready first. */
	readonly after?: readonly string[];
}

/** A Service that runs every informer asked for, before or after it started. It is ready at once: await `synced` of what you read. */
export class Informers implements Service {
	readonly name: string;
	readonly after: readonly string[];
	readonly #options: InformersOptions;
	readonly #informers = new Map<string, Informer<KubeObject>>();
	#start: ((informer: Informer<KubeObject>) => void) | undefined;

	constructor(options: InformersOptions) {
		this.#options = options;
		this.name = options.name ?? 'informers';
		this.after = options.after ?? [];
	}

	/** The informer of this kind and selection; the same one for everybody. It runs as long as this service does. */
	get<T extends KubeObject>(resource: Resource<T>, selection: Selection = {}): Informer<T> {
		const name = informerName(resource, selection);
		const existing = this.#informers.get(name);
		// The registry key holds group, version and plural, which determine T.
		if (existing !== undefined) return existing as unknown as Informer<T>;
		const { client, clock, log } = this.#options;
		const informer = createInformer({ ...selection, client, clock, log, resource });
		const erased = informer as unknown as Informer<KubeObject>;
		this.#informers.set(name, erased);
		this.#start?.(erased);
		return informer;
	}

	/** Resolves once every informer asked for so far has synced. */
	async synced(signal: AbortSignal): Promise<void> {
		await Promise.all([...this.#informers.values()].map((informer) => informer.synced(signal)));
	}

	async run(signal: AbortSignal, ready: () => void): Promise<void> {
		const failed = new AbortController();
		const stop = AbortSignal.any([signal, failed.signal]);
		const running: Promise<void>[] = [];
		let failure: { readonly error: unknown } | undefined;
		this.#start = (informer) => {
			running.push(
				informer
					.run(stop, () => {})
					.catch((error: unknown) => {
						failure ??= { error };
						failed.abort(error);
					}),
			);
		};
		for (const informer of this.#informers.values()) this.#start(informer);
		ready();
		await new Promise<void>((resolve) => {
			if (stop.aborted) resolve();
			else stop.addEventListener('abort', () => resolve(), { once: true });
		});
		this.#start = undefined;
		await Promise.all(running);
		if (failure !== undefined) throw failure.error;
	}
}
