/** Each store is linearizable under concurrent clients and kills; the checker finds every seeded bug. `npm run soak -- linearizability` runs a million. */
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { createMemoryStore } from '../../controlplane/storage/memory-store.ts';
import { check } from './checker.ts';
import { linearizability, STORES } from './campaign.ts';
import { FAULTS } from './faults.ts';
import type { Operation, Swap, Value } from './history.ts';
import { subjectOf } from './subject.ts';
import { runWorkload } from './workload.ts';

const OPERATIONS = 20_000;
const SEED = 20_261_121;

for (const name of Object.keys(STORES) as (keyof typeof STORES)[])
	test.serial(`${name} is linearizable`, async (t) => {
		const { text, problems } = await linearizability(name, { operations: OPERATIONS, seed: SEED });
		t.log(text);
		t.deepEqual(problems, []);
	});

for (const [bug, withBug] of Object.entries(FAULTS))
	test.serial(`the checker finds: ${bug}`, async (t) => {
		const store = createMemoryStore(realClock);
		const subject = withBug(subjectOf(store), SEED);
		const history = await runWorkload({ subjects: [subject], clients: 24, operations: 4000, seed: SEED });
		await store.close();
		const problems = check(history);
		t.log(problems[0] ?? 'nothing found');
		t.true(problems.length > 0);
	});

const read = (start: number, end: number, saw: Value): Operation => ({ type: 'read', client: 1, key: '/k', start, end, saw });
const swap = (start: number, end: number, from: Value, to: Value, outcome: Swap['outcome'] = 'done'): Operation => ({
	type: 'swap',
	client: 2,
	key: '/k',
	start,
	end,
	from,
	to,
	outcome,
});

for (const [what, history, good] of [
	['nothing', [], true],
	['a read of an absent key', [read(1, 2, undefined)], true],
	['a read of what nobody wrote', [read(1, 2, 7)], false],
	['a read during a write sees either', [swap(1, 5, undefined, 1), read(2, 3, undefined), read(3.5, 4, 1)], true],
	['a read goes back', [swap(1, 5, undefined, 1), read(2, 3, 1), read(3.5, 4, undefined)], false],
	['a read after a write sees it', [swap(1, 2, undefined, 1), read(3, 4, undefined)], false],
	['an unanswered write may have happened', [swap(1, Infinity, undefined, 1, 'unknown'), read(3, 4, 1)], true],
	['or not', [swap(1, Infinity, undefined, 1, 'unknown'), read(3, 4, undefined)], true],
	['or later', [swap(1, Infinity, undefined, 1, 'unknown'), read(3, 4, undefined), read(5, 6, 1)], true],
	['but not be undone', [swap(1, Infinity, undefined, 1, 'unknown'), read(3, 4, 1), read(5, 6, undefined)], false],
	['of two swaps from one value one is refused', [swap(1, 4, undefined, 1), swap(2, 5, undefined, 2)], false],
	['and is', [swap(1, 4, undefined, 1), swap(2, 5, undefined, 2, 'refused')], true],
	['refused without a reason', [swap(1, 2, undefined, 1, 'refused')], false],
	['a delete', [swap(1, 2, undefined, 1), swap(3, 4, 1, undefined), read(5, 6, undefined)], true],
] as const)
	test(`the checker, ${what}`, (t) => t.is(check(history).length === 0, good));
