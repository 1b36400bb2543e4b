/** TTL after finished: Jobs with spec.ttlSecondsAfterFinished are deleted that long after they ended. */
import type { Job } from '../../api/gen/types.ts';
import { JOBS } from '../../api/resources.ts';
import type { Clock } from '../../base/clock.ts';
import { ignore } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { keysFrom } from '../../client/controller.ts';
import type { Informers } from '../../client/informers.ts';
import type { Reconciler } from './reconciler.ts';

export function ttlAfterFinished(client: Client, informers: Informers, clock: Clock): Reconciler {
	const jobs = informers.get(JOBS);
	return {
		sources: [
			keysFrom(jobs, ({ after }) =>
				after === undefined || expiresAt(after) === undefined ? [] : [`${after.metadata.namespace}/${after.metadata.name}`],
			),
		],
		async reconcile(key, signal) {
			const leftMs = msLeft(jobs.lister.get(key), clock.now());
			if (leftMs === undefined) return;
			if (leftMs > 0) return { afterMs: leftMs };
			// The cache may be behind: somebody may have given it more time.
			const fresh = await client.get(JOBS, key, { signal }).catch(ignore('NotFound'));
			const freshMs = msLeft(fresh, clock.now());
			if (fresh === undefined || freshMs === undefined) return;
			if (freshMs > 0) return { afterMs: freshMs };
			const { uid } = fresh.metadata;
			await client
				.delete(JOBS, key, { propagationPolicy: 'Foreground', signal, ...(uid === undefined ? {} : { uid }) })
				.catch(ignore('NotFound', 'Aborted'));
		},
	};
}

function msLeft(job: Job | undefined, now: number): number | undefined {
	const expires = job === undefined ? undefined : expiresAt(job);
	return expires === undefined ? undefined : expires - now;
}

/** ms since the epoch; undefined for Jobs that still run, stay or are on their way. Pure. */
export function expiresAt(job: Job): number | undefined {
	const ttl = job.spec?.ttlSecondsAfterFinished;
	if (ttl === undefined || job.metadata.deletionTimestamp !== undefined) return undefined;
	const ended = (job.status?.conditions ?? []).find((c) => (c.type === 'Complete' || c.type === 'Failed') && c.status === 'True');
	return ended?.lastTransitionTime === undefined ? undefined : Date.parse(ended.lastTransitionTime) + ttl * 1000;
}
