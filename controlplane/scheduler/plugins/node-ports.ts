/** NodePorts: a host port belongs to one pod of a node. */
import { blocked, type FilterPlugin } from '../framework.ts';
import type { HostPort } from '../pod-info.ts';

const ANY = '0.0.0.0';

export const nodePorts: FilterPlugin = {
	name: 'NodePorts',
	wokenBy: ['nodeAdded', 'podDeleted'],
	prepare(pod) {
		if (pod.ports.length === 0) return 'skip';
		return (node) =>
			pod.ports.some((wanted) => node.ports.some((used) => collide(wanted, used)))
				? blocked("node(s) didn't have free ports for the requested pod ports")
				: undefined;
	},
};

function collide(a: HostPort, b: HostPort): boolean {
	return a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === ANY || b.ip === ANY);
}
