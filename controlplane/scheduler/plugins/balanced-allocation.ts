/** NodeResourcesBalancedAllocation: better a node whose cpu and memory are used alike. */
import { MAX_SCORE, type ScorePlugin } from '../framework.ts';

const RESOURCES = ['cpu', 'memory'] as const;

export const balancedAllocation: ScorePlugin = {
	name: 'NodeResourcesBalancedAllocation',
	weight: 1,
	prepare(pod) {
		// Pods that ask for nothing would all go to the best balanced node.
		if (RESOURCES.every((name) => (pod.requests.get(name) ?? 0) === 0)) return 'skip';
		return (node) => {
			const shares = RESOURCES.filter((name) => (node.allocatable.get(name) ?? 0) > 0).map((name) => {
				const used = (node.requested.get(name) ?? 0) + (pod.requests.get(name) ?? 0);
				return Math.min(1, used / (node.allocatable.get(name) ?? 1));
			});
			const [a = 0, b = a] = shares;
			return Math.floor((1 - Math.abs(a - b) / 2) * MAX_SCORE);
		};
	},
};
