/** PersistentVolumeClaimResize: a claim grows only when it is bound and its storage class allows it. */
import type { PersistentVolumeClaim } from '../../../../api/gen/types.ts';
import { compareQuantities } from '../../../../api/quantity.ts';
import { STORAGE_CLASSES } from '../../../../api/resources.ts';
import { classOfClaim } from '../../../../api/storage/class.ts';
import type { AdmissionAttributes, AdmissionPlugin, ObjectReader } from '../../contracts.ts';
import { refusal } from '../refusal.ts';
import { isFor, stored, written } from '../target.ts';

export class PersistentVolumeClaimResize implements AdmissionPlugin {
	readonly name = 'PersistentVolumeClaimResize';
	readonly #objects: ObjectReader;

	constructor(objects: ObjectReader) {
		this.#objects = objects;
	}

	handles(attributes: AdmissionAttributes): boolean {
		return isFor(attributes, '', 'persistentvolumeclaims') && attributes.operation === 'UPDATE';
	}

	validate(attributes: AdmissionAttributes): void {
		const before = stored<PersistentVolumeClaim>(attributes);
		const claim = written<PersistentVolumeClaim>(attributes);
		const now = claim.spec?.resources?.requests?.['storage'] ?? '0';
		if (compareQuantities(now, before?.spec?.resources?.requests?.['storage'] ?? '0') <= 0) return;
		if (before?.status?.phase !== 'Bound') throw refusal(attributes, 'Only bound persistent volume claims can be expanded');
		const name = classOfClaim(before);
		if (name === '' || name !== classOfClaim(claim) || this.#objects.get(STORAGE_CLASSES, name)?.allowVolumeExpansion !== true)
			throw refusal(
				attributes,
				'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
			);
	}
}
