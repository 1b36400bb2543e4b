/** The object of a bookmark: how far a watch is. */
import type { KubeObject } from '../../../api/resource.ts';
import type { Kind } from '../registry/kinds.ts';

export function bookmarkOf(kind: Kind, revision: bigint, initialEventsEnd: boolean): KubeObject {
	const metadata = {
		resourceVersion: String(revision),
		...(initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
	};
	return { kind: kind.resource.kind, apiVersion: kind.apiVersion, metadata } as unknown as KubeObject;
}
