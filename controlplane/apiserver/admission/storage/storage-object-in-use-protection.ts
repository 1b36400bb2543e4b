/** StorageObjectInUseProtection: volumes, claims and volume attribute classes get the finalizer that keeps them while in use. */
import type { AdmissionAttributes, AdmissionPlugin } from '../../contracts.ts';

const FINALIZERS: Readonly<Record<string, string>> = {
	'/persistentvolumes': 'kubernetes.io/pv-protection',
	'/persistentvolumeclaims': 'kubernetes.io/pvc-protection',
	'storage.k8s.io/volumeattributesclasses': 'kubernetes.io/vac-protection',
};

export class StorageObjectInUseProtection implements AdmissionPlugin {
	readonly name = 'StorageObjectInUseProtection';

	handles(attributes: AdmissionAttributes): boolean {
		return attributes.operation === 'CREATE' && attributes.subresource === '' && finalizerOf(attributes) !== undefined;
	}

	mutate(attributes: AdmissionAttributes): void {
		const finalizer = finalizerOf(attributes);
		const meta = attributes.object?.metadata;
		if (finalizer !== undefined && meta !== undefined && !(meta.finalizers ?? []).includes(finalizer))
			meta.finalizers = [...(meta.finalizers ?? []), finalizer];
	}
}

function finalizerOf({ group, resource }: AdmissionAttributes): string | undefined {
	return FINALIZERS[`${group}/${resource}`];
}
