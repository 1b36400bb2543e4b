/** Events about objects, for people: correlated as client-go does, written in the background, never in the caller's way. */
import type { Event, ObjectReference } from '../api/gen/types.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../api/resource.ts';
import { StatusError } from '../api/status.ts';
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Service } from '../base/service.ts';
import type { Client } from './client.ts';
import { EventCorrelator, type EventWrite, type Occurrence } from './event-correlator.ts';

export type EventType = 'Normal' | 'Warning';

export interface EventRecorder {
	/** Records that something happened to `about`. Never blocks or throws; under pressure events are dropped. */
	event(about: ObjectReference, type: EventType, reason: string, message: string, options?: EventOptions): void;
}

export interface EventOptions {
	readonly annotations?: Readonly<Record<string, string>>;
	/** Who reports, where that is not the recorder's own component. */
	readonly component?: string;
}

export interface RecorderOptions {
	readonly client: Client;
	readonly clock: Clock;
	readonly log: Log;
	/** Who reports, e.g. "kubelet". */
	readonly component: string;
	/** The node it runs on, if that matters. */
	readonly host?: string;
	/** Name of the service; "events/<component>" unless told. */
	readonly name?: string;
	readonly after?: readonly string[];
}

/** A reference to an object, as events carry it; `fieldPath` such as "spec.containers{web}" names a part. */
export function referenceTo(resource: Resource, object: KubeObject, fieldPath?: string): ObjectReference {
	const { namespace, name, uid, resourceVersion } = object.metadata;
	return {
		apiVersion: apiVersionOf(resource),
		kind: resource.kind,
		...(namespace === undefined ? {} : { namespace }),
		...(name === undefined ? {} : { name }),
		...(uid === undefined ? {} : { uid }),
		...(resourceVersion === undefined ? {} : { resourceVersion }),
		...(fieldPath === undefined ? {} : { fieldPath }),
	};
}

/** The core/v1 Event kind as the recorder writes it. */
const EVENTS: Resource<Event> = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true, subresources: [] };
/** client-go's broadcaster queue length; what comes beyond is dropped. */
const MAX_QUEUED = 1000;
/** client-go's maxTriesPerEvent and sleepDuration. */
const MAX_TRIES = 12;
const RETRY_MS = 10_000;
/** How long a stopping recorder may take to write what is queued. */
const FLUSH_MS = 1000;

/** A recorder; run it as a Service, or its events are never written. */
export function createRecorder(options: RecorderOptions): EventRecorder & Service {
	return new BackgroundRecorder(options);
}

class BackgroundRecorder implements EventRecorder, Service {
	readonly name: string;
	readonly after: readonly string[];
	readonly #options: RecorderOptions;
	readonly #correlator: EventCorrelator;
	readonly #queue: Occurrence[] = [];
	#wake: (() => void) | undefined;
	/** Cut off by the stop of the recorder. */
	#unfinished: EventWrite | undefined;

	constructor(options: RecorderOptions) {
		this.#options = options;
		this.name = options.name ?? `events/${options.component}`;
		this.after = options.after ?? [];
		this.#correlator = new EventCorrelator(options.clock);
	}

	event(about: ObjectReference, type: EventType, reason: string, message: string, options: EventOptions = {}): void {
		if (this.#queue.length >= MAX_QUEUED) return;
		const { host = '', clock } = this.#options;
		const component = options.component ?? this.#options.component;
		this.#queue.push({ about, type, reason, message, component, host, at: clock.now(), annotations: options.annotations });
		this.#wake?.();
	}

	async run(signal: AbortSignal, ready: () => void): Promise<void> {
		ready();
		const onAbort = (): void => this.#wake?.();
		signal.addEventListener('abort', onAbort, { once: true });
		try {
			while (!signal.aborted) {
				const occurrence = this.#queue.shift();
				if (occurrence !== undefined) await this.#write(this.#correlator.correlate(occurrence), signal);
				else await new Promise<void>((resolve) => (this.#wake = resolve));
				this.#wake = undefined;
			}
			await this.#flush();
		} finally {
			signal.removeEventListener('abort', onAbort);
		}
	}

	/** Writes the rest, one try each and not for long. */
	async #flush(): Promise<void> {
		const stop = new AbortController();
		using _timer = this.#options.clock.after(FLUSH_MS, () => stop.abort());
		await this.#write(this.#unfinished, stop.signal, 1);
		for (const occurrence of this.#queue.splice(0)) {
			if (stop.signal.aborted) return;
			await this.#write(this.#correlator.correlate(occurrence), stop.signal, 1);
		}
	}

	async #write(write: EventWrite | undefined, signal: AbortSignal, tries = MAX_TRIES): Promise<void> {
		if (write === undefined) return;
		const { clock, log } = this.#options;
		const { reason, involvedObject: about } = write.event;
		for (let attempt = 1; ; attempt++) {
			try {
				const written = await this.#send(write.event, write.patch, signal);
				this.#correlator.written(write.cacheKey, written);
				return;
			} catch (error) {
				if (error instanceof StatusError && error.httpCode < 500 && error.httpCode !== 429) {
					log.warn('event rejected', { reason, about, why: messageOf(error) });
					return;
				}
				if (signal.aborted) {
					this.#unfinished = write;
					return;
				}
				if (attempt >= tries) {
					log.warn('event dropped', { reason, about, why: messageOf(error) });
					return;
				}
			}
			try {
				// client-go spreads the first wait, so that not all clients come back at once.
				await clock.sleep(attempt === 1 ? RETRY_MS * clock.random() : RETRY_MS, signal);
			} catch {
				this.#unfinished = write;
				return;
			}
		}
	}

	async #send(event: Event, patch: object | undefined, signal: AbortSignal): Promise<Event> {
		const { client } = this.#options;
		if (patch !== undefined) {
			try {
				const key = `${event.metadata.namespace ?? ''}/${event.metadata.name ?? ''}`;
				return await client.patch(EVENTS, key, { type: 'strategic', body: patch }, { signal });
			} catch (error) {
				// Its time to live is over: write it anew.
				if (!(error instanceof StatusError && error.httpCode === 404)) throw error;
			}
		}
		return await client.create(EVENTS, event, { signal });
	}
}
