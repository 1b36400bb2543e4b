/** EventRateLimit: so many events a second in all, of a namespace, by a user, or of one source about one object; more are refused with 429. */
import type { Event } from '../../../api/gen/types.ts';
import { tooManyRequests } from '../../../api/status.ts';
import type { Clock } from '../../../base/clock.ts';
import { Lru } from '../../../base/lru.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../contracts.ts';
import { written } from './target.ts';

const KEYS = {
	Server: () => '',
	Namespace: ({ namespace }: AdmissionAttributes) => namespace,
	User: ({ user }: AdmissionAttributes) => user.name,
	SourceAndObject(attributes: AdmissionAttributes) {
		const { source = {}, involvedObject: about = {} } = written<Partial<Event>>(attributes);
		return [source.component, source.host, about.kind, about.namespace, about.name, about.uid, about.apiVersion].join('');
	},
} as const;

export type LimitType = keyof typeof KEYS;
export const LIMIT_TYPES = Object.keys(KEYS) as readonly LimitType[];

/** One limit of eventratelimit.admission.k8s.io/v1alpha1 Configuration. */
export interface EventLimit {
	readonly type: LimitType;
	/** On average, in a second. */
	readonly qps: number;
	/** At once, after a pause. */
	readonly burst: number;
	/** So many namespaces, users or sources are remembered. */
	readonly cacheSize: number;
}

interface Bucket {
	tokens: number;
	filledAt: number;
}

export function eventRateLimit(limits: readonly EventLimit[], clock: Clock): AdmissionPlugin {
	// An Lru keeps at least half of its bound.
	const enforced = limits.map((limit) => ({ limit, buckets: new Lru<string, Bucket>(2 * limit.cacheSize) }));
	return {
		name: 'EventRateLimit',
		// Not those of events.k8s.io, which are asked for as a kind of their own.
		handles: ({ group, kind, requested, operation, dryRun }) =>
			kind === 'Event' && (requested?.group ?? group) === '' && !dryRun && (operation === 'CREATE' || operation === 'UPDATE'),
		validate(attributes) {
			// Each limit counts the event, whatever the others say.
			const reached = enforced.flatMap(({ limit, buckets }) => {
				const key = KEYS[limit.type](attributes);
				return taken(limit, buckets, key, clock.monotonic()) ? [] : [`limit reached on type ${limit.type} for key ${key}`];
			});
			if (reached.length === 0) return;
			const [first = '', ...more] = new Set(reached);
			throw tooManyRequests(more.length === 0 ? first : `[${[first, ...more].join(', ')}]`);
		},
	};
}

/** Takes one token, where there is one. */
function taken({ qps, burst }: EventLimit, buckets: Lru<string, Bucket>, key: string, now: number): boolean {
	const bucket = buckets.get(key) ?? { tokens: burst, filledAt: now };
	buckets.set(key, bucket);
	bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * qps);
	bucket.filledAt = now;
	if (bucket.tokens < 1) return false;
	bucket.tokens--;
	return true;
}
