/** NamespaceLifecycle: nothing is created in a namespace that is missing or going away, and three namespaces stay. */
import { NAMESPACES } from '../../../api/resources.ts';
import { forbidden, notFound, StatusError } from '../../../api/status.ts';
import type { AdmissionAttributes, AdmissionPlugin, ObjectReader } from '../contracts.ts';
import { refusal } from './refusal.ts';

const IMMORTAL: readonly string[] = ['default', 'kube-system', 'kube-public'];

export class NamespaceLifecycle implements AdmissionPlugin {
	readonly name = 'NamespaceLifecycle';
	readonly #objects: ObjectReader;

	constructor(objects: ObjectReader) {
		this.#objects = objects;
	}

	handles(attributes: AdmissionAttributes): boolean {
		const { operation, group, resource, namespace } = attributes;
		if (group === '' && resource === 'namespaces') return operation === 'DELETE' && attributes.subresource === '';
		if (namespace === '' || operation === 'DELETE' || operation === 'CONNECT') return false;
		return !(group === 'authorization.k8s.io' && resource === 'localsubjectaccessreviews');
	}

	mutate(attributes: AdmissionAttributes): void {
		const { operation, group, resource, namespace: name } = attributes;
		if (group === '' && resource === 'namespaces') {
			if (IMMORTAL.includes(attributes.name))
				throw forbidden({ group, plural: resource }, attributes.name, 'this namespace may not be deleted');
			return;
		}
		const namespace = this.#objects.get(NAMESPACES, name);
		if (namespace === undefined) throw notFound(NAMESPACES, name);
		if (operation === 'CREATE' && namespace.status?.phase === 'Terminating') throw terminating(attributes);
	}
}

function terminating(attributes: AdmissionAttributes): StatusError {
	const { namespace } = attributes;
	const { status } = refusal(attributes, `unable to create new content in namespace ${namespace} because it is being terminated`);
	const cause = { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' };
	return new StatusError({ ...status, details: { ...status.details, causes: [...(status.details?.causes ?? []), cause] } });
}
