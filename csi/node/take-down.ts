/**
 * What a node that is gone has left mounted of a volume. Nodes of a pool share a host: their mounts outlive them, and would keep the volume from all others
 * until the next boot. That a node is gone its caller says, who detaches without having unstaged; and no process serves it any more.
 */
import type { Context } from '../context.ts';
import { noSteps } from '../steps.ts';
import { unpublishAt } from './publish.ts';
import { unstageAt } from './stage.ts';

/** Under the volume's lock. Nothing left, or a node that goes on, is success. */
export async function takeDownAbandoned(context: Context, nodeId: string, id: string): Promise<void> {
	const { nodes, options, log } = context;
	const { staged, targets } = nodes.get(nodeId, id);
	if ((staged === undefined && targets.length === 0) || !(await nodes.isAbandoned(nodeId))) return;
	log.warn('taking down what a node that is gone has left mounted', { volume: id, node: nodeId });
	const asNode: Context = { ...context, options: { ...options, nodeId }, steps: noSteps };
	for (const { path } of targets) await unpublishAt(asNode, nodes.get(nodeId, id), path);
	await unstageAt(asNode, nodes.get(nodeId, id));
}
