/** What was written is waited for, and is no news. */
import test from 'ava';
import type { EndpointSlice } from '../../../api/gen/types.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { SliceTracker } from './tracker.ts';

const slice = (uid: string, generation: number, service = 's', going = false): EndpointSlice => ({
	metadata: {
		...{ namespace: 'n', uid, generation, labels: { 'kubernetes.io/service-name': service } },
		...(going ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
	},
	addressType: 'IPv4',
	endpoints: [],
});

const tracking = (): SliceTracker => {
	const tracker = new SliceTracker(new VirtualClock());
	tracker.wrote('n/s', slice('a', 2));
	tracker.wrote('n/s', slice('b', 1));
	tracker.deleted('n/s', slice('c', 1));
	return tracker;
};

for (const [name, seen, want] of [
	['all of it', [slice('a', 2), slice('b', 1)], false],
	['more than it', [slice('a', 3), slice('b', 1), slice('d', 1)], false],
	['not one of two that were created', [slice('a', 2)], true],
	['one as it was before', [slice('a', 1), slice('b', 1)], true],
	['one that was deleted', [slice('a', 2), slice('b', 1), slice('c', 1)], true],
	['one that was deleted and is going', [slice('a', 2), slice('b', 1), slice('c', 1, 's', true)], false],
	['one that is going and was written', [slice('a', 1, 's', true), slice('b', 1)], false],
] as const)
	test(`isStale(): the informer has ${name}`, (t) => t.is(tracking().isStale('n/s', seen), want));

for (const [name, before, after, want] of [
	['what was created', undefined, slice('b', 1), []],
	['what was written', slice('a', 1), slice('a', 2), []],
	['only annotations change', slice('a', 2), slice('a', 2), []],
	['another writes', slice('a', 2), slice('a', 3), ['n/s']],
	['another creates', undefined, slice('d', 1), ['n/s']],
	['what was deleted goes', slice('c', 1), undefined, []],
	['another deletes', slice('b', 1), undefined, ['n/s']],
	['it becomes another service’s', slice('b', 1), slice('b', 2, 'other'), ['n/s', 'n/other']],
] as const)
	test(`changed(): ${name}`, (t) => t.deepEqual(tracking().changed({ ...(before && { before }), ...(after && { after }) }), want));

test('what was waited for in vain brings the service once it is seen', (t) => {
	const tracker = tracking();
	t.true(tracker.isStale('n/s', [slice('a', 2)]));
	t.deepEqual(tracker.changed({ after: slice('b', 1) }), ['n/s']);
	t.deepEqual(tracker.changed({ before: slice('b', 1), after: slice('b', 1) }), [], 'once');
});

for (const [what, changes] of [
	['is there still', []],
	['was seen to go', [{ before: slice('c', 1) }]],
] as const)
	test(`what could not be deleted, and ${what}, is not waited for`, (t) => {
		const tracker = new SliceTracker(new VirtualClock());
		tracker.deleted('n/s', slice('c', 1));
		for (const change of changes) tracker.changed(change);
		tracker.notDeleted('n/s', slice('c', 1));
		t.false(tracker.isStale('n/s', []));
		t.false(tracker.isStale('n/s', [slice('c', 1)]));
	});

test('what has left the service is not waited for', (t) => {
	const tracker = tracking();
	tracker.changed({ before: slice('b', 1), after: slice('b', 2, 'other') });
	t.false(tracker.isStale('n/s', [slice('a', 2)]));
	t.false(tracker.isStale('n/other', []));
});

test('what is never seen is waited for, but not for ever', async (t) => {
	const clock = new VirtualClock();
	const tracker = new SliceTracker(clock);
	tracker.wrote('n/s', slice('a', 1));
	await clock.advance(299_000);
	t.true(tracker.isStale('n/s', []));
	await clock.advance(2000);
	t.false(tracker.isStale('n/s', []));
});
