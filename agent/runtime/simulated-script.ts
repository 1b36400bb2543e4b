/** What a simulated runtime plays: containers' lives, the commands in them, the images that there are. */
import type { Pod } from '../../api/gen/types.ts';
import type { Clock } from '../../base/clock.ts';
import type { ContainerRuntime } from './runtime.ts';

/** What a container does. It runs for ever, and ends at once when asked to, unless told. */
export interface Script {
	readonly runMs?: number;
	readonly exitCode?: number;
	/** How long it takes to end after TERM; longer than the grace is killed with 137. */
	readonly stopMs?: number;
	readonly failStart?: string;
	/** New limits are refused with these words. */
	readonly failUpdate?: string;
	/** What it uses while it runs; nothing unless told. */
	readonly memoryBytes?: number;
	readonly processes?: number;
	readonly layerBytes?: number;
}

export interface SimulatedOptions {
	readonly clock: Clock;
	readonly script?: (pod: Pod, container: string, attempt: number) => Script;
	/** Images that are there; others fail to be pulled. All are when absent. */
	readonly images?: readonly string[];
	/** What a command does in a container; succeeds at once unless told. */
	readonly exec?: (container: ContainerRuntime, command: readonly string[]) => SimulatedExec;
}

export interface SimulatedExec {
	readonly exitCode?: number;
	readonly output?: string;
	readonly runMs?: number;
}
