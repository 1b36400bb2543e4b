/** Sorted keys against a plain list that is sorted anew for every question: whatever is asked between additions and removals. */
import test from 'ava';
import { endOf, SortedKeys } from './sorted-keys.ts';

/** Enough that many are added before anybody asks, and that chunks are split and emptied. */
const KEYS = 1500;

/** The same letters in every order, capital ones among them: keys are compared by code units. */
function keyOf(n: number): string {
	return `/${n % 3 === 0 ? 'A' : 'a'}/${((n * 7919) % KEYS).toString(36)}`;
}

for (const [name, askedEvery] of [
	['asked after every third', 3],
	['asked after a few', 7],
	['asked after many', 700],
] as const)
	test(`SortedKeys: ${name}`, (t) => {
		const sorted = new SortedKeys();
		const plain = new Set<string>();
		for (let n = 0; n < KEYS; n++) {
			const key = keyOf(n);
			sorted.add(key);
			sorted.add(key);
			plain.add(key);
			if (n % 5 === 4) t.is(sorted.delete(keyOf(n - 3)), plain.delete(keyOf(n - 3)));
			if (n % askedEvery !== 0) continue;
			const want = [...plain].sort();
			const middle = keyOf(n >> 1);
			const from = want.findIndex((k) => k >= middle);
			const before = from < 0 ? want.length : from;
			switch (n % 4) {
				case 0:
					t.is(sorted.size, want.length);
					break;
				case 1:
					t.is(sorted.rank(middle), before);
					break;
				case 2:
					t.deepEqual(
						sorted.between('/a/', endOf('/a/'), Infinity),
						want.filter((k) => k.startsWith('/a/')),
					);
					break;
				default:
					t.is(sorted.from(middle).next().value, want[before]);
			}
		}
		t.deepEqual([...sorted.from('')], [...plain].sort());
	});
