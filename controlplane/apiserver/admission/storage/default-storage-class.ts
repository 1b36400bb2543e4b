/** DefaultStorageClass: a claim that names no class gets the default one. */
import type { PersistentVolumeClaim } from '../../../../api/gen/types.ts';
import { STORAGE_CLASSES } from '../../../../api/resources.ts';
import { defaultClass, hasClass } from '../../../../api/storage/class.ts';
import type { AdmissionAttributes, AdmissionPlugin, ObjectReader } from '../../contracts.ts';
import { isFor, written } from '../target.ts';

export class DefaultStorageClass implements AdmissionPlugin {
	readonly name = 'DefaultStorageClass';
	readonly #objects: ObjectReader;

	constructor(objects: ObjectReader) {
		this.#objects = objects;
	}

	handles(attributes: AdmissionAttributes): boolean {
		return isFor(attributes, '', 'persistentvolumeclaims') && attributes.operation === 'CREATE';
	}

	mutate(attributes: AdmissionAttributes): void {
		const claim = written<PersistentVolumeClaim>(attributes);
		if (hasClass(claim)) return;
		const found = defaultClass(this.#objects.list(STORAGE_CLASSES));
		if (found !== undefined) claim.spec = { ...claim.spec, storageClassName: found.metadata.name };
	}
}
