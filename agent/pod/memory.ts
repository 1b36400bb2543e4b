/** What the agent remembers of one pod between rounds. All of it can be lost: after a restart it is rebuilt from the runtime and the API. */
import type { PodCondition, PodStatus } from '../../api/gen/types.ts';
import type { PullFailure } from '../image/pull-failure.ts';
import { ImagesUnderway } from '../image/underway.ts';
import type { PodRuntime } from '../runtime/runtime.ts';
import { Backoffs } from './backoff.ts';
import type { Waiting } from './plan.ts';
import type { Span } from './start-latency.ts';
import type { PodProbes } from '../probe/probes.ts';

/** Why the node ended a pod for its own sake. */
export interface Disruption {
	/** As the status says it: Evicted, Preempting, Terminated. */
	readonly reason: string;
	readonly message: string;
	readonly condition?: PodCondition;
}

export class PodMemory {
	readonly backoffs = new Backoffs();
	readonly images = new ImagesUnderway();
	/** Pulls: when the last one failed and what it said. */
	readonly pullFailures = new Map<string, PullFailure & { readonly at: number }>();
	/** Those that succeeded, until startTold. */
	readonly pulls: Span[] = [];
	/** How long the pod took to start has been told, or is not known. */
	startTold = false;
	/** Why containers do not run, by name. */
	waiting = new Map<string, Waiting>();
	/** When containers, by name, ended that had all restarted. */
	readonly resetAt = new Map<string, number>();
	/** Containers, by id, whose postStart hook has not ended. */
	readonly starting = new Set<string>();
	/** Containers, by id, whose preStop hook ran. */
	readonly preStopped = new Set<string>();
	/** Termination messages by container id. */
	readonly terminationMessages = new Map<string, string>();
	readonly probes: PodProbes;
	/** The status last made. */
	status: PodStatus | undefined;
	/** The last one made of a pod that had not ended. */
	alive: PodStatus | undefined;
	/** What the runtime showed when the agent first heard of the pod; used once. */
	first: { readonly seen: PodRuntime | undefined } | undefined;
	/** Why the node did not let the pod in. */
	refusal: Waiting | undefined;
	disruption: Disruption | undefined;
	/** Events of DNS and the like are told once. */
	readonly told = new Set<string>();

	/** When the agent first heard of the pod. */
	readonly firstSeenAt: number;

	constructor(first: PodMemory['first'], probes: PodProbes, now: number) {
		this.firstSeenAt = now;
		this.first = first;
		this.probes = probes;
	}
}
