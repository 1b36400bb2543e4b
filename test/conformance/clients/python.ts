/** The official Python client. */
import { join } from 'node:path';
import { must } from '../../tools/command.ts';
import { pythonClient } from '../../tools/python.ts';
import { behaves } from '../suite.ts';

const SCRIPT = join(import.meta.dirname, '..', 'python', 'clients.py');

behaves('the Python client: typed calls, watches, the dynamic client, a workload and exec', async ({ t, env, namespace, image }) => {
	const said = await must('python3', [SCRIPT, namespace, image], { env: { ...env, PYTHONPATH: await pythonClient() }, timeoutMs: 120_000 });
	t.deepEqual(said.trim().split('\n'), ['ok: typed', 'ok: watch', 'ok: dynamic', 'ok: workload']);
});
