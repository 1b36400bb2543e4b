/** Rules of a namespace's status and of its finalization. */
import { invalidValue } from '../field-error.ts';
import type { Namespace } from '../gen/types.ts';
import type { KubeObject } from '../resource.ts';
import { objectMetaUpdate } from './metadata.ts';
import { qualifiedName } from './names.ts';
import { texts, type Errors } from './rule.ts';

const STANDARD_FINALIZERS = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

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
		if (!name.includes('/') && !STANDARD_FINALIZERS.has(name))
			out.push(invalidValue(path, name, 'name is neither a standard finalizer name nor is it fully qualified'));
	}
}
