/** NodeAffinity: nodeSelector and required node affinity filter, preferred node affinity scores. */
import { matchesNode, matchesNodeTerm } from '../../../api/pod/node-affinity.ts';
import { impossible, scaleToMax, type FilterPlugin, type ScorePlugin } from '../framework.ts';

const NAME = 'NodeAffinity';

export const nodeAffinityFilter: FilterPlugin = {
	name: NAME,
	wokenBy: ['nodeAdded', 'nodeLabel', 'podChanged'],
	prepare(pod) {
		const { spec } = pod.pod;
		const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
		if (required === undefined && Object.keys(spec?.nodeSelector ?? {}).length === 0) return 'skip';
		return (node) => (matchesNode(pod.pod, node.node) ? undefined : impossible("node(s) didn't match Pod's node affinity/selector"));
	},
};

export const nodeAffinityScore: ScorePlugin = {
	name: NAME,
	weight: 2,
	prepare(pod) {
		const preferred = pod.pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
		if (preferred.length === 0) return 'skip';
		return (node) => preferred.reduce((sum, term) => sum + (matchesNodeTerm(term.preference, node.node) ? term.weight : 0), 0);
	},
	normalize: (scores) => scaleToMax(scores, false),
};
