/** What the kubelet API serves from. */
import type { Pod } from '../../api/gen/types.ts';
import type { AgentContext } from '../context.ts';
import type { VolumeStats } from '../volume/stats.ts';
import { Bounded } from './bounded.ts';
import type { CpuRates } from './cpu-rates.ts';
import { Health } from './health.ts';

export interface ServerDeps {
	readonly context: AgentContext;
	/** The pods bound to this node, as the API has them. */
	readonly pods: () => readonly Pod[];
	/** Brings the figures of pods up to date: asked for before they are read. */
	readonly count: () => void;
	readonly rates: CpuRates;
	/** What pods' volumes hold. */
	readonly volumes?: VolumeStats;
	/** Why the agent no longer looks after its pods; empty while it does, and so when absent. */
	readonly fault?: () => string;
}

/** What requests share. */
export interface ServerState {
	readonly startedAt: number;
	readonly health: Health;
	readonly checkpoints: Bounded;
	readonly queries: Bounded;
	readonly profiles: Bounded;
}

export function serverState({ context, fault = () => '' }: ServerDeps): ServerState {
	return {
		startedAt: context.clock.now(),
		health: new Health(fault),
		checkpoints: new Bounded('checkpoints', 2),
		queries: new Bounded('log queries', 4),
		profiles: new Bounded('profiles', 1),
	};
}
