/** NodeResourcesFit: enough of everything the pod asks for; better a node with more left (LeastAllocated). */
import { MAX_SCORE, type FilterPlugin, type ScorePlugin } from '../framework.ts';
import type { NodeInfo } from '../node-info.ts';

const NAME = 'NodeResourcesFit';
/** Default scoring resources, weight 1 each. */
const SCORED = ['cpu', 'memory'] as const;

export const nodeResourcesFit: FilterPlugin = {
	name: NAME,
	wokenBy: ['nodeAdded', 'nodeAllocatable', 'podDeleted', 'podChanged'],
	prepare(pod) {
		const wanted = [...pod.requests].filter(([, amount]) => amount > 0);
		return (node) => {
			const reasons: string[] = [];
			let preemptable = true;
			if (node.pods.length + 1 > (node.allocatable.get('pods') ?? 0)) reasons.push('Too many pods');
			for (const [name, amount] of wanted) {
				const allocatable = node.allocatable.get(name) ?? 0;
				if (amount <= allocatable - (node.requested.get(name) ?? 0)) continue;
				reasons.push(`Insufficient ${name}`);
				if (amount > allocatable) preemptable = false;
			}
			return reasons.length === 0 ? undefined : { reasons, preemptable };
		};
	},
};

export const leastAllocated: ScorePlugin = {
	name: NAME,
	weight: 1,
	prepare(pod) {
		return (node) => {
			const scored = SCORED.filter((name) => (node.allocatable.get(name) ?? 0) > 0);
			if (scored.length === 0) return 0;
			const sum = scored.reduce((total, name) => total + freeShare(node, name, pod.weighed.get(name) ?? 0), 0);
			return Math.floor(sum / scored.length);
		};
	},
};

function freeShare(node: NodeInfo, name: string, wanted: number): number {
	const allocatable = node.allocatable.get(name) ?? 0;
	const used = (node.weighed.get(name) ?? 0) + wanted;
	return used > allocatable ? 0 : Math.floor(((allocatable - used) * MAX_SCORE) / allocatable);
}
