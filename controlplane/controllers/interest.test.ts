/** Whose expectations an event ticks off. */
import test from 'ava';
import type { Pod, ReplicaSet } from '../../api/gen/types.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { Expectations } from './expectations.ts';
import { itself, seen } from './interest.ts';

const set = (uid: string): ReplicaSet => ({ metadata: { namespace: 'n', name: 's', uid } });
const pod = (owner: string): Pod => ({
	metadata: {
		...{ namespace: 'n', name: 'p', uid: 'p' },
		ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 's', uid: owner, controller: true }],
	},
});

for (const [name, change, isSeen] of [
	['a pod of its own', { after: pod('now') }, true],
	['a pod of one of that name that is gone', { after: pod('former') }, false],
] as const)
	test(`seen(): what was expected comes: ${name}`, (t) => {
		const expectations = new Expectations(new VirtualClock());
		expectations.expectCreations('now', 1);
		seen(change, 'ReplicaSet', expectations);
		t.is(expectations.satisfied('now'), isSeen);
	});

for (const [name, change, isForgotten] of [
	['is made', { after: set('now') }, false],
	['changes', { before: set('now'), after: set('now') }, false],
	['goes', { before: set('now') }, true],
	['is another one', { before: set('now'), after: set('other') }, true],
] as const)
	test(`itself(): a workload that ${name}`, (t) => {
		const expectations = new Expectations(new VirtualClock());
		expectations.expectCreations('now', 1);
		t.deepEqual(itself(change, expectations), ['n/s']);
		t.is(expectations.satisfied('now'), isForgotten);
	});
