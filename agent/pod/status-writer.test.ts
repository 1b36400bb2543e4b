import test from 'ava';
import type { Pod, PodStatus } from '../../api/gen/types.ts';
import { noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { Client } from '../../client/client.ts';
import { StatusWriter } from './status-writer.ts';

const shown = (resourceVersion: string, status: PodStatus): Pod => ({
	metadata: { name: 'p', namespace: 'n', uid: 'u', resourceVersion },
	spec: { containers: [] },
	status,
});
const wanted: PodStatus = { phase: 'Running', podIP: '10.0.0.1' };

for (const [name, seen, writes] of [
	['what somebody wrote over ours is written again', shown('3', { ...wanted, phase: 'Pending' }), 2],
	['what somebody took away is written again', shown('3', { phase: 'Running' }), 2],
	['what is none of ours stays', shown('3', { ...wanted, qosClass: 'Burstable' }), 1],
	['what was shown before ours was written is no change', shown('1', { phase: 'Pending' }), 1],
] as const)
	test(`StatusWriter: ${name}`, async (t) => {
		let revision = 1;
		let written = 0;
		const patch = (): Promise<Pod> => {
			written++;
			return Promise.resolve(shown(String(++revision), wanted));
		};
		const writer = new StatusWriter({ patch } as unknown as Client, new VirtualClock(), noLog, new AbortController().signal);
		writer.set(shown('1', { phase: 'Pending' }), wanted);
		await writer.flushed('u');
		writer.seen(seen);
		await writer.flushed('u');
		t.is(written, writes);
	});
