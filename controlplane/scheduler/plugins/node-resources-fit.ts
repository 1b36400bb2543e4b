/** NodeResourcesFit: enough of everything the pod asks for; better a node with more left, or with less, as the scoring strategy says. */
import { isExtendedResource } from '../../../api/validation/pod/resources.ts';
import type { DevicesView } from '../devices/view.ts';
import type { FilterPlugin, ScorePlugin } from '../framework.ts';
import type { PluginArgs } from '../plugin-args.ts';
import { allocationScorer } from './allocation-score.ts';
import { devicesCounter } from './device-use.ts';
import { useOf } from './resource-use.ts';

const NAME = 'NodeResourcesFit';

/** @param classFor of resources that a node has none of, those that devices stand for are not looked at here */
export function resourcesFilter(
	{ ignoredResources, ignoredResourceGroups }: PluginArgs['NodeResourcesFit'],
	classFor: DevicesView['classFor'] = () => undefined,
): FilterPlugin {
	const isIgnored = (name: string): boolean =>
		isExtendedResource(name) && (ignoredResources.includes(name) || ignoredResourceGroups.includes(name.split('/')[0] ?? ''));
	return {
		name: NAME,
		wokenBy: ['nodeAdded', 'nodeAllocatable', 'podDeleted', 'podChanged', 'devicesChanged'],
		prepare(pod) {
			const wanted = [...pod.requests].filter(([name, amount]) => amount > 0 && !isIgnored(name));
			const ofDevices = new Set(wanted.map(([name]) => name).filter((name) => classFor(name) !== undefined));
			return (node) => {
				const reasons: string[] = [];
				let preemptable = true;
				if (node.pods.length + 1 > (node.allocatable.get('pods') ?? 0)) reasons.push('Too many pods');
				for (const [name, amount] of wanted) {
					const allocatable = node.allocatable.get(name) ?? 0;
					if (allocatable === 0 && ofDevices.has(name)) continue;
					if (amount <= allocatable - (node.requested.get(name) ?? 0)) continue;
					reasons.push(`Insufficient ${name}`);
					if (amount > allocatable) preemptable = false;
				}
				return reasons.length === 0 ? undefined : { reasons, preemptable };
			};
		},
	};
}

export function resourcesScore({ scoringStrategy }: PluginArgs['NodeResourcesFit'], devices: DevicesView): ScorePlugin {
	const score = allocationScorer(scoringStrategy);
	const { resources } = scoringStrategy;
	return {
		name: NAME,
		prepare(pod) {
			const counter = devicesCounter(devices, resources, pod);
			return (node) => score(useOf(resources, node, pod.weighed, node.weighed, counter));
		},
	};
}
