import test from 'ava';
import type { Job } from '../../api/gen/types.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { AppError } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { Informers } from '../../client/informers.ts';
import { ttlAfterFinished } from './ttl-after-finished.ts';

const START = Date.UTC(2026, 0, 1);
const job = (uid: string, ttlSecondsAfterFinished?: number): Job =>
	({
		metadata: { name: 'j', namespace: 'n', uid },
		spec: ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished },
		status: { conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
	}) as unknown as Job;

for (const [rule, live, again, gone] of [
	['is as it was', job('a', 10), undefined, ['a']],
	['has more time', job('a', 60), { afterMs: 40_000 }, []],
	['may stay', job('a'), undefined, []],
	['is another one, whose time is over too', job('b', 5), undefined, ['b']],
	['is gone', undefined, undefined, []],
] as const)
	test(`a Job whose time is over, which by now ${rule}`, async (t) => {
		const deleted: unknown[] = [];
		const client = {
			get: () => (live === undefined ? Promise.reject(new AppError('NotFound', 'j')) : Promise.resolve(live)),
			delete: (_resource: unknown, _key: unknown, { uid }: { readonly uid: string }) => Promise.resolve(void deleted.push(uid)),
		} as unknown as Client;
		const informers = { get: () => ({ lister: { get: () => job('a', 10) } }) } as unknown as Informers;
		const { reconcile } = ttlAfterFinished(client, informers, new VirtualClock(START + 20_000));
		t.deepEqual(await reconcile('n/j', new AbortController().signal), again);
		t.deepEqual(deleted, [...gone]);
	});
