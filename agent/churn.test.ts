/** The shortest form of `npm run soak -- agent-churn-simulated`; a tenth of it is in test/crash/agent/. */
import test from 'ava';
import { simulatedChurn } from '../test/soak/simulated-churn.ts';

test('a hundred pods come, run and go, and nothing of them is held (their heap is judged in longer forms only)', async (t) => {
	t.timeout(600_000);
	const { problems } = await simulatedChurn(100, (line) => t.log(line));
	t.deepEqual(problems, []);
});
