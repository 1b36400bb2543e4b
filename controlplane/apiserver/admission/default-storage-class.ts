/** DefaultStorageClass: a claim that names no class gets the default one. */
import type { PersistentVolumeClaim, StorageClass } from '../../../api/gen/types.ts';
import { STORAGE_CLASSES } from '../../../api/resources.ts';
import type { AdmissionAttributes, AdmissionPlugin, ObjectReader } from '../contracts.ts';
import { newestMarked } from './newest-marked.ts';
import { isFor, written } from './target.ts';

const CLAIM_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const MARKS = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

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
		if (claim.spec?.storageClassName !== undefined || claim.metadata.annotations?.[CLAIM_ANNOTATION] !== undefined) return;
		const found: StorageClass | undefined = newestMarked(this.#objects.list(STORAGE_CLASSES), MARKS);
		if (found !== undefined) claim.spec = { ...claim.spec, storageClassName: found.metadata.name };
	}
}
