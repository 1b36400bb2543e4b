/** The short, seeded form of `npm run soak -- kill`: a few deaths in each placement. */
import test from 'ava';
import { killCampaign, summary } from './kill-campaign.ts';

for (const [name, isolated, kills] of [
	['in one process', false, 4],
	['with a process a part', true, 4],
] as const)
	test.serial(`kill -9 under load loses nothing acknowledged, touches no container and leaves nothing: ${name}`, async (t) => {
		const figures = await killCampaign({ kills, seed: 1, isolated, log: (line) => t.log(line) });
		t.log(summary(figures));
		t.deepEqual(figures.problems, []);
	});
