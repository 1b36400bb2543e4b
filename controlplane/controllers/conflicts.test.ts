import test from 'ava';
import { AppError, codeOf } from '../../base/errors.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { failureOf, retryingConflicts } from './conflicts.ts';

const { signal } = new AbortController();
const conflict = new AppError('Aborted', 'conflict');
const other = new AppError('Unavailable', 'other');

test('a conflict is looked at again shortly, one that stays ever less often', async (t) => {
	let outcome: Error | undefined = conflict;
	const reconcile = retryingConflicts(() => (outcome === undefined ? Promise.resolve() : Promise.reject(outcome)), new VirtualClock());
	for (const afterMs of [20, 40, 80, 160]) t.deepEqual(await reconcile('n/a', signal), { afterMs });
	t.deepEqual(await reconcile('n/b', signal), { afterMs: 20 });
	for (let i = 0; i < 20; i++) await reconcile('n/a', signal);
	t.deepEqual(await reconcile('n/a', signal), { afterMs: 1_000_000 });
	outcome = other;
	await t.throwsAsync(reconcile('n/a', signal), { is: other });
	outcome = conflict;
	t.deepEqual(await reconcile('n/a', signal), { afterMs: 1_000_000 }, 'another failure in between is no success');
	outcome = undefined;
	t.is(await reconcile('n/a', signal), undefined);
	outcome = conflict;
	t.deepEqual(await reconcile('n/a', signal), { afterMs: 20 });
});

test('of several failures a conflict counts only where there is nothing else', (t) => {
	t.is(failureOf([conflict, other]), other);
	t.is(failureOf([conflict]), conflict);
	const both = failureOf([conflict, other, new AppError('Internal', 'third')]);
	t.is(codeOf(both), 'Unavailable');
	t.is((both as Error).message, '[other, third]');
});
