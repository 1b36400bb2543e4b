/** NodeResourcesBalancedAllocation: better a node whose resources (cpu and memory, unless told) the pod makes more alike in use. */
import { MAX_SCORE, type ScorePlugin } from '../framework.ts';
import type { PluginArgs } from '../plugin-args.ts';
import type { DevicesView } from '../devices/view.ts';
import { devicesCounter } from './device-use.ts';
import { useOf } from './resource-use.ts';

export function balancedAllocation({ resources }: PluginArgs['NodeResourcesBalancedAllocation'], devices: DevicesView): ScorePlugin {
	return {
		name: 'NodeResourcesBalancedAllocation',
		prepare(pod) {
			// Pods that ask for nothing would all go to the best balanced node.
			if (resources.every(({ name }) => (pod.requests.get(name) ?? 0) === 0)) return 'skip';
			const counter = devicesCounter(devices, resources, pod);
			return (node) => {
				const uses = useOf(resources, node, pod.requests, node.requested, counter);
				const gain =
					balance(uses.map(({ after, allocatable }) => after / allocatable)) -
					balance(uses.map(({ before, allocatable }) => before / allocatable));
				// About 75 where nothing changes, 100 for the best gain, 50 for the worst loss.
				return MAX_SCORE / 2 + Math.trunc((MAX_SCORE / 2 + gain) / 2);
			};
		},
	};
}

/** How alike the shares in use are: 50 to 100, by their standard deviation. */
function balance(given: readonly number[]): number {
	const shares = given.map((share) => Math.min(1, share));
	return Math.floor((1 - deviation(shares)) * MAX_SCORE);
}

function deviation(shares: readonly number[]): number {
	const [a = 0, b = a] = shares;
	if (shares.length <= 2) return Math.abs(a - b) / 2;
	const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
	return Math.sqrt(shares.reduce((sum, share) => sum + (share - mean) ** 2, 0) / shares.length);
}
