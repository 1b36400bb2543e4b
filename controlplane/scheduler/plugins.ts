/** The plugins that run, in upstream's order, with its weights. */
import { balancedAllocation } from './plugins/balanced-allocation.ts';
import type { DevicesView } from './devices/view.ts';
import { dynamicResources } from './plugins/dynamic-resources.ts';
import { imageLocality } from './plugins/image-locality.ts';
import { interPodAffinityFilter, interPodAffinityScore } from './plugins/inter-pod-affinity.ts';
import { nodeAffinityFilter, nodeAffinityScore } from './plugins/node-affinity.ts';
import { nodeDeclaredFeatures } from './plugins/node-declared-features.ts';
import { nodeName } from './plugins/node-name.ts';
import { nodePorts } from './plugins/node-ports.ts';
import { leastAllocated, nodeResourcesFit } from './plugins/node-resources-fit.ts';
import { nodeUnschedulable } from './plugins/node-unschedulable.ts';
import { topologySpreadFilter, topologySpreadScore } from './plugins/pod-topology-spread.ts';
import { taintFilter, taintScore } from './plugins/taint-toleration.ts';
import { nodeVolumeLimits } from './plugins/node-volume-limits.ts';
import { volumeBinding } from './plugins/volume-binding.ts';
import { volumeRestrictions } from './plugins/volume-restrictions.ts';
import { volumeZone } from './plugins/volume-zone.ts';
import type { Plugins } from './schedule.ts';
import type { StorageView } from './storage/view.ts';
import type { SiblingsOf } from './workloads.ts';

export function defaultPlugins(storage: StorageView, devices: DevicesView, siblingsOf: SiblingsOf = () => undefined): Plugins {
	return {
		filters: [
			nodeUnschedulable,
			nodeName,
			taintFilter,
			nodeAffinityFilter,
			nodePorts,
			nodeResourcesFit,
			volumeRestrictions(storage),
			nodeVolumeLimits(storage),
			volumeBinding(storage),
			volumeZone(storage),
			dynamicResources(devices),
			topologySpreadFilter,
			interPodAffinityFilter,
			nodeDeclaredFeatures,
		],
		scores: [
			taintScore,
			nodeAffinityScore,
			leastAllocated,
			topologySpreadScore(siblingsOf),
			interPodAffinityScore,
			balancedAllocation,
			imageLocality,
		],
	};
}
