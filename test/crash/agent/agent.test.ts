/** The short forms of `npm run soak -- agent-restart` and `agent-churn`, on one node: no time is judged here. */
import test from 'ava';
import { ensureTestImage, liveTests } from '../../tools/cri.ts';
import { Seeded } from '../../tools/seeded.ts';
import { realChurn } from './churn.ts';
import { NodePlace } from './node-place.ts';
import { agentDeaths, fill, reboot, runtimeOutages } from './outages.ts';

const { engine, live } = await liveTests(test);
const seeded = new Seeded(1);
const PODS = 12;

let place: NodePlace;
test.before(async () => {
	if (typeof engine === 'string') return;
	await ensureTestImage(engine);
	place = await NodePlace.start('agent');
});
test.after.always(async () => place?.[Symbol.asyncDispose]());

live('fifty pods come and go, and nothing of them is left', async (t) => {
	t.deepEqual(await realChurn(place, 50, (line) => t.log(line)), []);
});

live('the agent is killed five times: no container restarts, none changes, no pod flaps', async (t) => {
	await fill(place, PODS);
	const { problems } = await agentDeaths(place, { count: 5, seeded, log: (line) => t.log(line) });
	t.deepEqual(problems, []);
});

live('the runtime is away: what ended and what was made meanwhile is seen to, and nothing else changes', async (t) => {
	const { problems } = await runtimeOutages(place, { count: 1, seeded, log: (line) => t.log(line) });
	t.deepEqual(problems, []);
});

live('every container is gone with the machine: all pods come back', async (t) => {
	const { problems } = await reboot(place);
	t.deepEqual(problems, []);
});
