/** The object of a bookmark: how far a watch is. Of a built-in kind it is an empty one, with the fields that are always written. */
import type { KubeObject } from '../../../api/resource.ts';
import type { Made } from './parsed.ts';
import type { Kind } from '../registry/kinds.ts';

export function bookmarkOf(kind: Kind, revision: bigint, initialEventsEnd: boolean): KubeObject {
	const name = kind.resource.kind;
	const annotations = {
		...(name === 'DaemonSet' && kind.custom === undefined ? { 'deprecated.daemonset.template.generation': '0' } : {}),
		...(initialEventsEnd ? { 'k8s.io/initial-events-end': 'true' } : {}),
	};
	const metadata = { resourceVersion: String(revision), ...(Object.keys(annotations).length === 0 ? {} : { annotations }) };
	const bare = { kind: name, apiVersion: kind.apiVersion, metadata } as unknown as KubeObject;
	if (kind.custom !== undefined) return bare;
	const { object = bare }: Made = kind.encode(COUNTS.has(name) ? ({ ...bare, spec: { replicas: 0 } } as KubeObject) : bare);
	return object;
}

/** What upstream converts from a number that is always there. */
const COUNTS = new Set(['Deployment', 'ReplicaSet', 'StatefulSet']);
