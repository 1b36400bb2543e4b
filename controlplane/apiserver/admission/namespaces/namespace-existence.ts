/** NamespaceAutoProvision makes the namespace of what is created; NamespaceExists refuses whatever has none. */
import { NAMESPACES } from '../../../../api/resources.ts';
import { notFound } from '../../../../api/status.ts';
import { ignore, messageOf } from '../../../../base/errors.ts';
import type { AdmissionAttributes, AdmissionPlugin, ObjectReader } from '../../contracts.ts';
import { refusal } from '../refusal.ts';
import { isFor } from '../target.ts';

export function namespaceAutoProvision(
	objects: ObjectReader,
	create: (name: string, signal: AbortSignal) => Promise<unknown>,
): AdmissionPlugin {
	return {
		name: 'NamespaceAutoProvision',
		handles: (attributes) => attributes.operation === 'CREATE' && !attributes.dryRun && isInNamespace(attributes),
		async mutate(attributes, signal) {
			const { namespace } = attributes;
			if (objects.get(NAMESPACES, namespace) !== undefined) return;
			try {
				await create(namespace, signal).catch(ignore('AlreadyExists'));
			} catch (error) {
				throw refusal(attributes, messageOf(error));
			}
		},
	};
}

export function namespaceExists(objects: ObjectReader): AdmissionPlugin {
	return {
		name: 'NamespaceExists',
		handles: (attributes) => attributes.operation !== 'CONNECT' && isInNamespace(attributes),
		validate({ namespace }) {
			if (objects.get(NAMESPACES, namespace) === undefined) throw notFound(NAMESPACES, namespace);
		},
	};
}

function isInNamespace(attributes: AdmissionAttributes): boolean {
	return attributes.namespace !== '' && !isFor(attributes, '', 'namespaces', attributes.subresource);
}
