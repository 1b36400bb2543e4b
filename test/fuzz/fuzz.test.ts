/** Every reader of what clients send, on inputs that nobody would write. `npm run soak -- fuzz` runs 100,000 a target. */
import test from 'ava';
import { fuzz, lineOf } from './fuzz.ts';
import { TARGETS } from './targets.ts';

const RUNS = 500;
const SEED = 20_261_121;

for (const target of TARGETS)
	test.serial(`fuzz: ${target.name}`, async (t) => {
		const figures = await fuzz(target, { runs: RUNS, seed: SEED });
		t.log(lineOf(figures));
		t.deepEqual(figures.problems, []);
	});
