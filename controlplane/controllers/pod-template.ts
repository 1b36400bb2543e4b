/** A pod made from a workload's template: its labels, annotations and finalizers, a generated name and its controller. Pure. */
import type { Pod, PodTemplateSpec } from '../../api/gen/types.ts';
import type { KubeObject, Resource } from '../../api/resource.ts';
import { generatedPrefix } from './generated-prefix.ts';
import { controllerRef } from './owned.ts';

export function podFromTemplate(template: PodTemplateSpec | undefined, resource: Resource, owner: KubeObject): Pod {
	const { labels, annotations, finalizers } = template?.metadata ?? {};
	return {
		apiVersion: 'v1',
		kind: 'Pod',
		metadata: {
			generateName: generatedPrefix(owner.metadata.name ?? ''),
			namespace: owner.metadata.namespace,
			labels,
			annotations,
			finalizers,
			ownerReferences: [controllerRef(resource, owner)],
		},
		spec: structuredClone(template?.spec),
	};
}
