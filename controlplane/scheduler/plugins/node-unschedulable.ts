/** NodeUnschedulable: cordoned nodes take only pods that tolerate it. */
import { tolerates } from '../../../api/pod/tolerations.ts';
import { impossible, type FilterPlugin } from '../framework.ts';

const TAINT = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

export const nodeUnschedulable: FilterPlugin = {
	name: 'NodeUnschedulable',
	wokenBy: ['nodeAdded', 'nodeTaint', 'podChanged'],
	prepare(pod) {
		const tolerated = (pod.pod.spec?.tolerations ?? []).some((t) => tolerates(t, TAINT));
		if (tolerated) return 'skip';
		return (node) => (node.node.spec?.unschedulable === true ? impossible('node(s) were unschedulable') : undefined);
	},
};
