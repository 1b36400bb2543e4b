/** What the kubelet API serves from. */
import type { Pod } from '../../api/gen/types.ts';
import type { CpuRates } from './cpu-rates.ts';
import type { AgentContext } from '../context.ts';

export interface ServerDeps {
	readonly context: AgentContext;
	/** The pods bound to this node, as the API has them. */
	readonly pods: () => readonly Pod[];
	/** Brings the figures of pods up to date: asked for before they are read. */
	readonly count: () => void;
	readonly rates: CpuRates;
}
