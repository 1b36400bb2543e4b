/** What the kubelet API serves from. */
import type { Pod } from '../../api/gen/types.ts';
import type { CpuRates } from './cpu-rates.ts';
import type { AgentContext } from '../context.ts';

export interface ServerDeps {
	readonly context: AgentContext;
	/** The pods bound to this node, as the API has them. */
	readonly pods: () => readonly Pod[];
	readonly rates: CpuRates;
}
