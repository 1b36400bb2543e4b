/** NodePorts: a host port belongs to one pod of a node. */
import { blocked, type FilterPlugin } from '../framework.ts';
import { portsClash } from '../../../api/pod/host-ports.ts';

export const nodePorts: FilterPlugin = {
	name: 'NodePorts',
	wokenBy: ['nodeAdded', 'podDeleted'],
	prepare(pod) {
		if (pod.ports.length === 0) return 'skip';
		return (node) =>
			pod.ports.some((wanted) => node.ports.some((used) => portsClash(wanted, used)))
				? blocked("node(s) didn't have free ports for the requested pod ports")
				: undefined;
	},
};
