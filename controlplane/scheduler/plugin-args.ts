/** What plugins are told beside the pod and the cluster: upstream's plugin arguments (kubescheduler.config.k8s.io/v1), with its defaults. */
import type { NodeAffinity, TopologySpreadConstraint } from '../../api/gen/types.ts';

/** How much a resource counts beside others. */
export interface ResourceWeight {
	readonly name: string;
	readonly weight: number;
}

/** A node used to so many percent has so high a score, 0 to 10; between two points the score is on the line. */
export interface ShapePoint {
	readonly utilization: number;
	readonly score: number;
}

export type ScoringStrategy =
	| { readonly type: 'LeastAllocated' | 'MostAllocated'; readonly resources: readonly ResourceWeight[] }
	| { readonly type: 'RequestedToCapacityRatio'; readonly resources: readonly ResourceWeight[]; readonly shape: readonly ShapePoint[] };

export interface PluginArgs {
	readonly DefaultPreemption: { readonly minCandidateNodesPercentage: number; readonly minCandidateNodesAbsolute: number };
	readonly DynamicResources: {
		/** How long devices are looked for on one node; 0 is for as long as it takes. */
		readonly filterTimeoutMs: number;
		/** How long drivers may take to make devices ready. */
		readonly bindingTimeoutMs: number;
	};
	readonly InterPodAffinity: {
		/** How much an existing pod's required affinity to this one counts, 0 to 100. */
		readonly hardPodAffinityWeight: number;
		/** Pods without preferences of their own are not placed by those of others. */
		readonly ignorePreferredTermsOfExistingPods: boolean;
	};
	/** What all pods of the profile ask of nodes beside what they say themselves. */
	readonly NodeAffinity: { readonly addedAffinity?: NodeAffinity };
	readonly NodeResourcesBalancedAllocation: { readonly resources: readonly ResourceWeight[] };
	readonly NodeResourcesFit: {
		/** Extended resources that do not count, and prefixes of such ("example.com"). */
		readonly ignoredResources: readonly string[];
		readonly ignoredResourceGroups: readonly string[];
		readonly scoringStrategy: ScoringStrategy;
	};
	/** Constraints, without selectors, of pods that have none: upstream's own (System) or these (List). */
	readonly PodTopologySpread: {
		readonly defaultConstraints: readonly TopologySpreadConstraint[];
		readonly defaultingType: 'System' | 'List';
	};
	readonly VolumeBinding: { readonly bindTimeoutSeconds: number };
}

const CPU_AND_MEMORY: readonly ResourceWeight[] = [
	{ name: 'cpu', weight: 1 },
	{ name: 'memory', weight: 1 },
];

/** Upstream's defaults (pkg/scheduler/apis/config/v1). */
export const DEFAULT_ARGS: PluginArgs = {
	DefaultPreemption: { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 },
	DynamicResources: { filterTimeoutMs: 10_000, bindingTimeoutMs: 600_000 },
	InterPodAffinity: { hardPodAffinityWeight: 1, ignorePreferredTermsOfExistingPods: false },
	NodeAffinity: {},
	NodeResourcesBalancedAllocation: { resources: CPU_AND_MEMORY },
	NodeResourcesFit: {
		ignoredResources: [],
		ignoredResourceGroups: [],
		scoringStrategy: { type: 'LeastAllocated', resources: CPU_AND_MEMORY },
	},
	PodTopologySpread: { defaultConstraints: [], defaultingType: 'System' },
	VolumeBinding: { bindTimeoutSeconds: 600 },
};
