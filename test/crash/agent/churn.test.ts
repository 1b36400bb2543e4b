/** A tenth of `npm run soak -- agent-churn-simulated`. */
import test from 'ava';
import { simulatedChurn } from '../../soak/simulated-churn.ts';

test('a thousand simulated pods come, run and go: nothing of them is held, and the heap keeps no pod', async (t) => {
	const { text, problems } = await simulatedChurn(1000, (line) => t.log(line));
	t.log(text);
	t.deepEqual(problems, []);
});
