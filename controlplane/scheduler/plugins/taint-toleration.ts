/** TaintToleration: no node whose taints repel the pod; better one without taints that merely discourage it. */
import type { Taint } from '../../../api/gen/types.ts';
import { tolerates } from '../../../api/pod/tolerations.ts';
import { impossible, scaleToMax, type FilterPlugin, type ScorePlugin } from '../framework.ts';

const NAME = 'TaintToleration';

export const taintFilter: FilterPlugin = {
	name: NAME,
	wokenBy: ['nodeAdded', 'nodeTaint', 'podChanged'],
	prepare(pod) {
		const tolerations = pod.pod.spec?.tolerations ?? [];
		const repels = (taint: Taint): boolean => taint.effect !== 'PreferNoSchedule' && !tolerations.some((t) => tolerates(t, taint));
		return (node) => ((node.node.spec?.taints ?? []).some(repels) ? impossible('node(s) had untolerated taint(s)') : undefined);
	},
};

export const taintScore: ScorePlugin = {
	name: NAME,
	prepare(pod) {
		const tolerations = (pod.pod.spec?.tolerations ?? []).filter((t) => (t.effect ?? '') === '' || t.effect === 'PreferNoSchedule');
		const discourages = (taint: Taint): boolean => taint.effect === 'PreferNoSchedule' && !tolerations.some((t) => tolerates(t, taint));
		return (node) => (node.node.spec?.taints ?? []).filter(discourages).length;
	},
	normalize: (scores) => scaleToMax(scores, true),
};
