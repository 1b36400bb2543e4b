/** NodeResourcesBalancedAllocation: better a node whose cpu and memory the pod makes more alike in use. */
import { MAX_SCORE, type ScorePlugin } from '../framework.ts';
import type { NodeInfo } from '../node-info.ts';

const RESOURCES = ['cpu', 'memory'] as const;

export const balancedAllocation: ScorePlugin = {
	name: 'NodeResourcesBalancedAllocation',
	weight: 1,
	prepare(pod) {
		// Pods that ask for nothing would all go to the best balanced node.
		if (RESOURCES.every((name) => (pod.requests.get(name) ?? 0) === 0)) return 'skip';
		return (node) => {
			const gain = balance(node, (name) => pod.requests.get(name) ?? 0) - balance(node, () => 0);
			// About 75 where nothing changes, 100 for the best gain, 50 for the worst loss.
			return MAX_SCORE / 2 + Math.trunc((MAX_SCORE / 2 + gain) / 2);
		};
	},
};

/** How alike the resources are in use with so much more of each: 50 to 100, by the standard deviation of their shares. */
function balance(node: NodeInfo, more: (name: string) => number): number {
	const shares = RESOURCES.filter((name) => (node.allocatable.get(name) ?? 0) > 0).map((name) =>
		Math.min(1, ((node.requested.get(name) ?? 0) + more(name)) / (node.allocatable.get(name) ?? 1)),
	);
	const [a = 0, b = a] = shares;
	return Math.floor((1 - Math.abs(a - b) / 2) * MAX_SCORE);
}
