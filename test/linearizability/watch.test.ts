/** The watch contract of each store, and the check itself against seeded bugs. `npm run soak -- watch` runs a million events. */
import test from 'ava';
import { SITES, watchContract } from './watch-campaign.ts';
import { WATCH_FAULTS } from './watch-faults.ts';

const EVENTS = 20_000;
const SEED = 20_261_121;

for (const name of Object.keys(SITES) as (keyof typeof SITES)[])
	test.serial(`the watch contract holds: ${name}`, async (t) => {
		const { text, problems } = await watchContract(name, { events: EVENTS, seed: SEED });
		t.log(text);
		t.deepEqual(problems, []);
	});

for (const [bug, withBug] of Object.entries(WATCH_FAULTS))
	test.serial(`the check of watches finds: ${bug}`, async (t) => {
		const { problems } = await watchContract('memory', { events: 6000, seed: SEED }, (store) => withBug(store, SEED));
		t.log(problems[0] ?? 'nothing found');
		t.true(problems.length > 0);
	});
