/** NamespaceLifecycle: nothing is created in a namespace that is missing or going away, and three namespaces stay. */
import type { Namespace } from '../../../../api/gen/types.ts';
import { NAMESPACES } from '../../../../api/resources.ts';
import { forbidden, notFound, StatusError } from '../../../../api/status.ts';
import type { AdmissionAttributes, AdmissionPlugin, Maybe, ObjectReader } from '../../contracts.ts';
import { refusal } from '../refusal.ts';

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

	mutate(attributes: AdmissionAttributes, signal: AbortSignal): Maybe<void> {
		const { group, resource, namespace: name } = attributes;
		if (group === '' && resource === 'namespaces') {
			if (IMMORTAL.includes(attributes.name))
				throw forbidden({ group, plural: resource }, attributes.name, 'this namespace may not be deleted');
			return;
		}
		const namespace = this.#objects.get(NAMESPACES, name);
		if (namespace !== undefined || this.#objects.fresh === undefined) return check(attributes, namespace);
		// Another server may have made it (upstream asks its store as well).
		return this.#objects.fresh(signal).then(() => check(attributes, this.#objects.get(NAMESPACES, name)));
	}
}

function check(attributes: AdmissionAttributes, namespace: Namespace | undefined): void {
	if (namespace === undefined) throw notFound(NAMESPACES, attributes.namespace);
	if (attributes.operation === 'CREATE' && namespace.status?.phase === 'Terminating') throw terminating(attributes);
}

function terminating(attributes: AdmissionAttributes): StatusError {
	const { namespace } = attributes;
	const { status } = refusal(attributes, `unable to create new content in namespace ${namespace} because it is being terminated`);
	const cause = { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' };
	return new StatusError({ ...status, details: { ...status.details, causes: [...(status.details?.causes ?? []), cause] } });
}
