/**
 * client-go's EventCorrelator: the same event again becomes a higher count, many similar ones become one, and a source that floods about one
 * object is silenced for a while. Decides only; the recorder writes.
 */
import type { Event, ObjectReference } from '../api/gen/types.ts';
import { timeOf } from '../api/time.ts';
import type { Clock } from '../base/clock.ts';
import { Lru } from '../base/lru.ts';

export interface Occurrence {
	readonly about: ObjectReference;
	readonly type: string;
	readonly reason: string;
	readonly message: string;
	readonly component: string;
	readonly host: string;
	/** Wall ms. */
	readonly at: number;
	readonly annotations: Readonly<Record<string, string>> | undefined;
}

/** What to write: the patch where the event is there already, else the event. */
export interface EventWrite {
	readonly cacheKey: string;
	readonly event: Event;
	readonly patch: object | undefined;
}

/** client-go's defaults: similar events within ten minutes, from the tenth message on; 25 at once, then one in five minutes; 4096 keys. */
const AGGREGATE_AFTER = 10;
const AGGREGATE_WITHIN_MS = 600_000;
const SPAM_BURST = 25;
const SPAM_REFILL_MS = 300_000;
const CACHE_SIZE = 4096;

interface Similar {
	readonly messages: Set<string>;
	last: number;
}

interface Bucket {
	tokens: number;
	at: number;
}

interface Logged {
	readonly name: string;
	readonly count: number;
	readonly firstTimestamp: string;
	readonly resourceVersion: string | undefined;
}

export class EventCorrelator {
	readonly #clock: Clock;
	readonly #similar = new Lru<string, Similar>(CACHE_SIZE);
	readonly #spam = new Lru<string, Bucket>(CACHE_SIZE);
	readonly #logged = new Lru<string, Logged>(CACHE_SIZE);
	#lastName = 0n;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** What to write for one more occurrence; undefined where it is dropped as spam. */
	correlate(o: Occurrence): EventWrite | undefined {
		const combined = this.#aggregates(o);
		const cacheKey = combined ? similarKey(o) : JSON.stringify([similarKey(o), o.about.fieldPath, o.message]);
		const message = combined ? `(combined from similar events): ${o.message}` : o.message;
		const logged = this.#logged.get(cacheKey);
		const event = this.#eventOf(o, message, logged);
		this.#logged.set(cacheKey, {
			name: event.metadata.name ?? '',
			count: event.count ?? 1,
			firstTimestamp: event.firstTimestamp ?? '',
			resourceVersion: logged?.resourceVersion,
		});
		if (!this.#allowed(o)) return undefined;
		const patch = logged?.resourceVersion === undefined ? undefined : { count: event.count, lastTimestamp: event.lastTimestamp, message };
		return { cacheKey, event, patch };
	}

	/** The server's answer: from now on the event is patched. */
	written(cacheKey: string, event: Event): void {
		this.#logged.set(cacheKey, {
			name: event.metadata.name ?? '',
			count: event.count ?? 1,
			firstTimestamp: event.firstTimestamp ?? '',
			resourceVersion: event.metadata.resourceVersion ?? '',
		});
	}

	/** True once this reason about this object came with so many different messages that they are shown as one. */
	#aggregates(o: Occurrence): boolean {
		const key = similarKey(o);
		const now = this.#clock.monotonic();
		let similar = this.#similar.get(key);
		if (similar === undefined || now - similar.last > AGGREGATE_WITHIN_MS) similar = { messages: new Set(), last: now };
		similar.messages.add(o.message);
		similar.last = now;
		this.#similar.set(key, similar);
		if (similar.messages.size < AGGREGATE_AFTER) return false;
		// Keep the set small: it only has to stay over the threshold.
		for (const oldest of similar.messages) {
			similar.messages.delete(oldest);
			break;
		}
		similar.messages.add(o.message);
		return true;
	}

	#allowed(o: Occurrence): boolean {
		const key = JSON.stringify([o.component, o.host, o.about.kind, o.about.namespace, o.about.name, o.about.uid, o.about.apiVersion]);
		const now = this.#clock.monotonic();
		const bucket = this.#spam.get(key) ?? { tokens: SPAM_BURST, at: now };
		bucket.tokens = Math.min(SPAM_BURST, bucket.tokens + (now - bucket.at) / SPAM_REFILL_MS);
		bucket.at = now;
		this.#spam.set(key, bucket);
		if (bucket.tokens < 1) return false;
		bucket.tokens -= 1;
		return true;
	}

	#eventOf(o: Occurrence, message: string, logged: Logged | undefined): Event {
		const at = timeOf(o.at);
		const name = logged?.name ?? this.#freshName(o);
		return {
			apiVersion: 'v1',
			kind: 'Event',
			metadata: {
				name,
				namespace: o.about.namespace === undefined || o.about.namespace === '' ? 'default' : o.about.namespace,
				...(o.annotations === undefined ? {} : { annotations: { ...o.annotations } }),
			},
			involvedObject: { ...o.about },
			reason: o.reason,
			message,
			source: { component: o.component, ...(o.host === '' ? {} : { host: o.host }) },
			firstTimestamp: logged?.firstTimestamp ?? at,
			lastTimestamp: at,
			count: (logged?.count ?? 0) + 1,
			type: o.type,
			reportingComponent: o.component,
			reportingInstance: o.host,
		};
	}

	/** client-go's "<object>.<nanoseconds in hex>"; what the clock does not tell of them is chance, since others report of the same object. */
	#freshName(o: Occurrence): string {
		const nanos = BigInt(Math.floor(o.at)) * 1_000_000n + BigInt(Math.floor(this.#clock.random() * 1_000_000));
		this.#lastName = nanos > this.#lastName ? nanos : this.#lastName + 1n;
		return `${o.about.name ?? ''}.${this.#lastName.toString(16)}`;
	}
}

/** Everything but the message. */
function similarKey(o: Occurrence): string {
	const { kind, namespace, name, uid, apiVersion } = o.about;
	return JSON.stringify([o.component, o.host, kind, namespace, name, uid, apiVersion, o.type, o.reason]);
}
