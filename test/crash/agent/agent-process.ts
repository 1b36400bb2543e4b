/** The agent as `kubeling agent --config FILE` runs it, in a process that can be killed: `node agent-process.ts FILE`, says "ready" to its parent. */
import { readPartConfig, runPart } from '../../../cli/verbs/part.ts';

await runPart('agent', await readPartConfig(process.argv[2] ?? ''), process.env['AGENT_LOG'] ?? 'warn');
