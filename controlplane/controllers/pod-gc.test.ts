import test from 'ava';
import type { Pod } from '../../api/gen/types.ts';
import { NODES } from '../../api/resources.ts';
import { AppError } from '../../base/errors.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { Client } from '../../client/client.ts';
import type { Informers } from '../../client/informers.ts';
import { podGarbageCollector } from './pod-gc.ts';

test('only the pod that was seen is ended, not another that has its name by now', async (t) => {
	const deletionTimestamp = '2026-01-01T00:00:00Z';
	const pod: Pod = { metadata: { name: 'p', namespace: 'n', uid: 'old', deletionTimestamp }, spec: { containers: [] } };
	const asked: unknown[] = [];
	const refuse = (uid: unknown): Promise<never> => {
		asked.push(uid);
		return Promise.reject(new AppError('Aborted', 'the uid is another one'));
	};
	const client = {
		patch: (_resource: unknown, _key: unknown, { body }: { readonly body: Pod }) => refuse(body.metadata.uid),
		delete: (_resource: unknown, _key: unknown, { uid }: { readonly uid: string }) => refuse(uid),
	} as unknown as Client;
	const informers = {
		get: (resource: unknown) => ({ addIndex: () => {}, lister: { get: () => (resource === NODES ? undefined : pod) } }),
	} as unknown as Informers;
	await podGarbageCollector(client, informers, new VirtualClock()).reconcile('n/p', new AbortController().signal);
	t.deepEqual(asked, ['old', 'old']);
});
