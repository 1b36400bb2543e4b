/** Namespaces, their status and their finalization. */
import { invalidValue } from '../field-error.ts';
import type { Namespace } from '../gen/types.ts';
import type { KubeObject } from '../resource.ts';
import { dnsLabel, qualifiedName } from './names.ts';
import { CLUSTER_SCOPED, finalizerName, objectMeta, objectMetaUpdate } from './metadata.ts';
import { texts, type Errors } from './rule.ts';

export function namespace(out: Errors, object: Namespace): void {
	objectMeta(out, object.metadata, { ...CLUSTER_SCOPED, name: dnsLabel });
	for (const name of object.spec?.finalizers ?? []) {
		texts(out, 'spec.finalizers', name, qualifiedName(name));
		finalizerName(out, 'spec.finalizers', name);
	}
}

export function namespaceUpdate(out: Errors, object: Namespace, old: Namespace): void {
	namespace(out, object);
	objectMetaUpdate(out, object.metadata, old.metadata);
}

export function namespaceStatus(out: Errors, { metadata, status }: Namespace, old: KubeObject): void {
	objectMetaUpdate(out, metadata, old.metadata);
	const { phase = '' } = status ?? {};
	const [wanted, is] = (metadata.deletionTimestamp ?? '') === '' ? ['Active', 'is'] : ['Terminating', 'is not'];
	if (phase !== wanted) out.push(invalidValue('status.Phase', phase, `may only be '${wanted}' if \`deletionTimestamp\` ${is} empty`));
}

export function namespaceFinalize(out: Errors, { metadata, spec }: Namespace, old: KubeObject): void {
	objectMetaUpdate(out, metadata, old.metadata);
	for (const [i, name] of (spec?.finalizers ?? []).entries()) {
		const path = `spec.finalizers[${i}]`;
		texts(out, path, name, qualifiedName(name));
		finalizerName(out, path, name);
	}
}
