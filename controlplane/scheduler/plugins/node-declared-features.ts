/** NodeDeclaredFeatures: what not every kubelet can do needs a node that says it can (status.declaredFeatures; upstream's component-helpers/nodedeclaredfeatures). */
import type { PodSpec } from '../../../api/gen/types.ts';
import { impossible, type FilterPlugin } from '../framework.ts';

export const nodeDeclaredFeatures: FilterPlugin = {
	name: 'NodeDeclaredFeatures',
	wokenBy: ['nodeAdded', 'nodeFeatures', 'podChanged'],
	prepare({ pod }) {
		const needed = neededFeatures(pod.spec);
		if (needed.length === 0) return 'skip';
		return ({ node }) => {
			const declared = node.status?.declaredFeatures ?? [];
			return needed.every((name) => declared.includes(name)) ? undefined : impossible("node(s) didn't match Pod's required features");
		};
	},
};

function neededFeatures(spec: PodSpec | undefined): readonly string[] {
	const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
	const restartsAll = containers.some(({ restartPolicyRules }) =>
		restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers'),
	);
	return [
		...(restartsAll ? ['RestartAllContainersOnContainerExits'] : []),
		...(spec?.hostNetwork === true && spec.hostUsers === false ? ['UserNamespacesHostNetworkSupport'] : []),
	];
}
