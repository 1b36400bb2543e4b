/** The short, seeded forms of `npm run soak -- cri` and `-- cri-kill`. */
import test from 'ava';
import { liveTests } from '../../tools/cri.ts';
import { criCampaign } from './campaign.ts';
import { engineRestart } from './engine-restart.ts';

const { live } = await liveTests(test);

for (const [name, plan] of [
	['pods come to their end over an engine that errs, hangs and loses events, and nothing is left', { pods: 50, faults: 0.05, kills: 0 }],
	['pods come to their end though the shim is killed meanwhile, and nothing is left', { pods: 20, faults: 0, kills: 5 }],
] as const)
	live(name, async (t) => {
		const { text, problems } = await criCampaign({ ...plan, seed: 1, inFlight: 4, log: (line) => t.log(line) });
		t.log(text);
		t.deepEqual(problems, []);
	});

for (const [name, outlives] of [
	['containers that outlive the engine are found running, and their logs go on', true],
	['containers that ended with the engine are told as ended, and new ones run', false],
] as const)
	live(`the engine is killed and started again: ${name}`, async (t) => {
		const { recoveredMs, problems } = await engineRestart(10, outlives);
		t.log(`every pod is as it should be after ${recoveredMs.toFixed(0)} ms`);
		t.deepEqual(problems, []);
	});
