/** When the change happened that endpoints are written for, so that others can tell how long it took to arrive (upstream's TriggerTimeTracker). */
import type { Pod, Service } from '../../../api/gen/types.ts';
import type { Key } from '../../../api/resource.ts';
import { podCondition } from '../../../api/pod/conditions.ts';

export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

interface Seen {
	readonly service: number;
	readonly pods: ReadonlyMap<string, number>;
}

export class TriggerTimes {
	readonly #seen = new Map<Key, Seen>();
	/** As it was before the last look. */
	readonly #before = new Map<Key, Seen | undefined>();

	/** At first when the service was made, then the earliest of what is new since the last time; undefined where nothing is. RFC 3339. */
	next(key: Key, service: Service, pods: readonly Pod[]): string | undefined {
		const before = this.#seen.get(key);
		this.#before.set(key, before);
		const created = timeOf(service.metadata.creationTimestamp);
		const ready = new Map<string, number>();
		let first = created > (before?.service ?? 0) ? created : Infinity;
		for (const pod of pods) {
			const at = timeOf(podCondition(pod, 'Ready')?.lastTransitionTime);
			if (at === 0) continue;
			const name = pod.metadata.name ?? '';
			ready.set(name, at);
			if (at > (before?.pods.get(name) ?? 0)) first = Math.min(first, at);
		}
		this.#seen.set(key, { service: created, pods: ready });
		if (before === undefined) first = created === 0 ? Infinity : created;
		return first === Infinity ? undefined : new Date(first).toISOString().replace('.000Z', 'Z');
	}

	/** What was new is so still: it could not be written. */
	undo(key: Key): void {
		const before = this.#before.get(key);
		if (before === undefined) this.#seen.delete(key);
		else this.#seen.set(key, before);
	}

	forget(key: Key): void {
		this.#before.delete(key);
		this.#seen.delete(key);
	}
}

function timeOf(time: string | undefined | null): number {
	return time === undefined || time === null ? 0 : Date.parse(time);
}
