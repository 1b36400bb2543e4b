/** NodeAffinity: nodeSelector and required node affinity filter, preferred node affinity scores; the profile may ask more of all its pods. */
import { matchesNode, matchesNodeTerm } from '../../../api/pod/node-affinity.ts';
import { impossible, scaleToMax, type FilterPlugin, type ScorePlugin } from '../framework.ts';
import type { PluginArgs } from '../plugin-args.ts';

const NAME = 'NodeAffinity';

export function nodeAffinityFilter({ addedAffinity }: PluginArgs['NodeAffinity']): FilterPlugin {
	const enforced = addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? undefined;
	const added = enforced === undefined ? undefined : (enforced.nodeSelectorTerms ?? []);
	return {
		name: NAME,
		wokenBy: ['nodeAdded', 'nodeLabel', 'podChanged'],
		prepare(pod) {
			const { spec } = pod.pod;
			const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
			if (required === undefined && added === undefined && Object.keys(spec?.nodeSelector ?? {}).length === 0) return 'skip';
			return ({ node }) => {
				if (added !== undefined && !added.some((term) => matchesNodeTerm(term, node)))
					return impossible("node(s) didn't match scheduler-enforced node affinity");
				return matchesNode(pod.pod, node) ? undefined : impossible("node(s) didn't match Pod's node affinity/selector");
			};
		},
	};
}

export function nodeAffinityScore({ addedAffinity }: PluginArgs['NodeAffinity']): ScorePlugin {
	const added = addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
	return {
		name: NAME,
		prepare(pod) {
			const own = pod.pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
			const preferred = [...added, ...own];
			if (preferred.length === 0) return 'skip';
			return (node) => preferred.reduce((sum, term) => sum + (matchesNodeTerm(term.preference, node.node) ? term.weight : 0), 0);
		},
		normalize: (scores) => scaleToMax(scores, false),
	};
}
