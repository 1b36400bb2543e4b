/** Events about this node. */
import type { ObjectReference } from '../../api/gen/types.ts';
import type { EventType } from '../../client/events.ts';
import type { AgentContext } from '../context.ts';

/** The node as its kubelet's events name it: kubectl describe looks for those with the name as uid. */
export function nodeReference(name: string): ObjectReference {
	return { apiVersion: 'v1', kind: 'Node', name, uid: name };
}

export function nodeEvent(
	{ options, recorder }: Pick<AgentContext, 'options' | 'recorder'>,
	type: EventType,
	reason: string,
	message: string,
): void {
	recorder.event(nodeReference(options.nodeName), type, reason, message);
}
