/** NodeName: a pod that names its node goes there or nowhere. */
import { impossible, type FilterPlugin } from '../framework.ts';

export const nodeName: FilterPlugin = {
	name: 'NodeName',
	wokenBy: ['nodeAdded'],
	prepare(pod) {
		const wanted = pod.pod.spec?.nodeName ?? '';
		if (wanted === '') return 'skip';
		return (node) => (node.name === wanted ? undefined : impossible("node(s) didn't match the requested node name"));
	},
};
