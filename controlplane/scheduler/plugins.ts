/** The scheduling plugins that decide about nodes: how each is made. */
import { balancedAllocation } from './plugins/balanced-allocation.ts';
import type { DevicesView } from './devices/view.ts';
import { dynamicResources, dynamicResourcesScore } from './plugins/dynamic-resources.ts';
import type { FilterPlugin, ScorePlugin } from './framework.ts';
import { imageLocality } from './plugins/image-locality.ts';
import { interPodAffinityFilter, interPodAffinityScore } from './plugins/inter-pod-affinity.ts';
import { nodeAffinityFilter, nodeAffinityScore } from './plugins/node-affinity.ts';
import { nodeDeclaredFeatures } from './plugins/node-declared-features.ts';
import { nodeName } from './plugins/node-name.ts';
import { nodePorts } from './plugins/node-ports.ts';
import { resourcesFilter, resourcesScore } from './plugins/node-resources-fit.ts';
import { nodeUnschedulable } from './plugins/node-unschedulable.ts';
import { topologySpreadFilter, topologySpreadScore } from './plugins/pod-topology-spread.ts';
import { taintFilter, taintScore } from './plugins/taint-toleration.ts';
import { nodeVolumeLimits } from './plugins/node-volume-limits.ts';
import { volumeBinding } from './plugins/volume-binding.ts';
import { volumeRestrictions } from './plugins/volume-restrictions.ts';
import { volumeZone } from './plugins/volume-zone.ts';
import type { PluginArgs } from './plugin-args.ts';
import type { Plugins } from './schedule.ts';
import type { StorageView } from './storage/view.ts';
import type { SiblingsOf } from './workloads.ts';

/** What plugins look at beside pod and nodes. */
export interface PluginDeps {
	readonly storage: StorageView;
	readonly devices: DevicesView;
	readonly siblingsOf: SiblingsOf;
}

type Make<T> = (args: PluginArgs, deps: PluginDeps) => T;

const FILTERS: Readonly<Record<string, Make<FilterPlugin>>> = {
	NodeUnschedulable: () => nodeUnschedulable,
	NodeName: () => nodeName,
	TaintToleration: () => taintFilter,
	NodeAffinity: (args) => nodeAffinityFilter(args.NodeAffinity),
	NodePorts: () => nodePorts,
	NodeResourcesFit: (args, { devices }) => resourcesFilter(args.NodeResourcesFit, devices.classFor),
	VolumeRestrictions: (_, { storage }) => volumeRestrictions(storage),
	NodeVolumeLimits: (_, { storage }) => nodeVolumeLimits(storage),
	VolumeBinding: (_, { storage }) => volumeBinding(storage),
	VolumeZone: (_, { storage }) => volumeZone(storage),
	DynamicResources: (args, { devices }) => dynamicResources(devices, args.DynamicResources),
	PodTopologySpread: (args, { siblingsOf }) => topologySpreadFilter(args.PodTopologySpread, siblingsOf),
	InterPodAffinity: () => interPodAffinityFilter,
	NodeDeclaredFeatures: () => nodeDeclaredFeatures,
};

const SCORES: Readonly<Record<string, Make<ScorePlugin>>> = {
	TaintToleration: () => taintScore,
	NodeAffinity: (args) => nodeAffinityScore(args.NodeAffinity),
	NodeResourcesFit: (args, { devices }) => resourcesScore(args.NodeResourcesFit, devices),
	PodTopologySpread: (args, { siblingsOf }) => topologySpreadScore(args.PodTopologySpread, siblingsOf),
	DynamicResources: (_, { devices }) => dynamicResourcesScore(devices),
	InterPodAffinity: (args) => interPodAffinityScore(args.InterPodAffinity),
	NodeResourcesBalancedAllocation: (args, { devices }) => balancedAllocation(args.NodeResourcesBalancedAllocation, devices),
	ImageLocality: () => imageLocality,
};

/** Which plugins run where, in order. */
export interface Selection {
	readonly filters: readonly string[];
	readonly scores: readonly { readonly name: string; readonly weight: number }[];
}

/** Names of plugins that have nothing to do there are passed over. */
export function makePlugins(selection: Selection, args: PluginArgs, deps: PluginDeps): Pick<Plugins, 'filters' | 'scores'> {
	return {
		filters: selection.filters.flatMap((name) => FILTERS[name]?.(args, deps) ?? []),
		scores: selection.scores.flatMap(({ name, weight }) => {
			const plugin = SCORES[name]?.(args, deps);
			return plugin === undefined ? [] : [{ ...plugin, weight }];
		}),
	};
}
