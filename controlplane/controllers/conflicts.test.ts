import test from 'ava';
import { AppError, codeOf } from '../../base/errors.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { failureOf, retryingConflicts } from './conflicts.ts';

const { signal } = new AbortController();
const conflict = new AppError('Aborted', 'conflict');
const other = new AppError('Unavailable', 'other');

test('a conflict is looked at again shortly, one that stays ever less often', async (t) => {
	let outcome: Error | undefined = conflict;
	const clock = new VirtualClock();
	const reconcile = retryingConflicts(() => (outcome === undefined ? Promise.resolve() : Promise.reject(outcome)), clock);
	const looked = async (key: string): Promise<unknown> => {
		const again = await reconcile(key, signal);
		await clock.advance(1_000_000);
		return again;
	};
	for (const afterMs of [20, 40, 80, 160]) t.deepEqual(await looked('n/a'), { afterMs });
	t.deepEqual(await looked('n/b'), { afterMs: 20 });
	for (let i = 0; i < 20; i++) await looked('n/a');
	t.deepEqual(await looked('n/a'), { afterMs: 1_000_000 });
	outcome = other;
	await t.throwsAsync(reconcile('n/a', signal), { is: other });
	outcome = conflict;
	t.deepEqual(await looked('n/a'), { afterMs: 1_000_000 }, 'another failure in between is no success');
	outcome = undefined;
	t.is(await looked('n/a'), undefined);
	outcome = conflict;
	t.deepEqual(await looked('n/a'), { afterMs: 20 });
});

test('looks that other changes bring before a conflict is due again do not put it off', async (t) => {
	const clock = new VirtualClock();
	const reconcile = retryingConflicts(() => Promise.reject(conflict), clock);
	t.deepEqual(await reconcile('n/a', signal), { afterMs: 20 });
	for (const left of [15, 10, 5]) {
		await clock.advance(5);
		t.deepEqual(await reconcile('n/a', signal), { afterMs: left });
	}
	await clock.advance(5);
	t.deepEqual(await reconcile('n/a', signal), { afterMs: 40 });
});

test('of several failures a conflict counts only where there is nothing else', (t) => {
	t.is(failureOf([conflict, other]), other);
	t.is(failureOf([conflict]), conflict);
	const both = failureOf([conflict, other, new AppError('Internal', 'third')]);
	t.is(codeOf(both), 'Unavailable');
	t.is((both as Error).message, '[other, third]');
});
