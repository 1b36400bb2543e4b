/** The plugins that run, in upstream's order, with its weights. */
import { balancedAllocation } from './plugins/balanced-allocation.ts';
import { imageLocality } from './plugins/image-locality.ts';
import { interPodAffinityFilter, interPodAffinityScore } from './plugins/inter-pod-affinity.ts';
import { nodeAffinityFilter, nodeAffinityScore } from './plugins/node-affinity.ts';
import { nodeName } from './plugins/node-name.ts';
import { nodePorts } from './plugins/node-ports.ts';
import { leastAllocated, nodeResourcesFit } from './plugins/node-resources-fit.ts';
import { nodeUnschedulable } from './plugins/node-unschedulable.ts';
import { topologySpreadFilter, topologySpreadScore } from './plugins/pod-topology-spread.ts';
import { taintFilter, taintScore } from './plugins/taint-toleration.ts';
import type { Plugins } from './schedule.ts';

export const defaultPlugins: Plugins = {
	filters: [
		nodeUnschedulable,
		nodeName,
		taintFilter,
		nodeAffinityFilter,
		nodePorts,
		nodeResourcesFit,
		topologySpreadFilter,
		interPodAffinityFilter,
	],
	scores: [taintScore, nodeAffinityScore, leastAllocated, topologySpreadScore, interPodAffinityScore, balancedAllocation, imageLocality],
};
