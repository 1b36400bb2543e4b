/** How events name a node: by name and uid, without a namespace. */
import type { Node, ObjectReference } from '../../api/gen/types.ts';

export function nodeReference({ metadata }: Node): ObjectReference {
	return { kind: 'Node', apiVersion: 'v1', name: metadata.name, uid: metadata.uid };
}
