/** The status of a claim for a volume: capacities, and how far a resize is (upstream ValidatePersistentVolumeClaimStatusUpdate). */
import { invalidValue, notSupported, required } from '../../field-error.ts';
import type { PersistentVolumeClaim } from '../../gen/types.ts';
import { ceilUnits, compareQuantities } from '../../quantity.ts';
import { objectMetaUpdate } from '../metadata.ts';
import { qualifiedName } from '../names.ts';
import { isNative } from '../pod/resources.ts';
import { texts, type Errors } from '../rule.ts';

const RESIZES = [
	'ControllerResizeInProgress',
	'ControllerResizeInfeasible',
	'NodeResizeInProgress',
	'NodeResizeInfeasible',
	'NodeResizePending',
];

export function volumeClaimStatus(out: Errors, object: PersistentVolumeClaim, old: PersistentVolumeClaim): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	if ((object.spec?.accessModes ?? []).length === 0) out.push(required('Spec.accessModes'));
	const { capacity = {}, allocatedResourceStatuses = {}, allocatedResources = {} } = object.status ?? {};
	for (const [name, size] of Object.entries(capacity)) natural(out, `status.capacity[${name}]`, size);
	for (const [name, state] of Object.entries(allocatedResourceStatuses)) {
		resourceKey(out, 'status.allocatedResourceStatuses', name);
		if (!RESIZES.includes(state)) out.push(notSupported('status.allocatedResourceStatuses', name, RESIZES));
	}
	for (const [name, size] of Object.entries(allocatedResources))
		if (resourceKey(out, 'status.allocatedResources', name)) natural(out, `status.allocatedResources[${name}]`, size);
}

function natural(out: Errors, path: string, size: string): void {
	if (compareQuantities(size, 0) < 0) out.push(invalidValue(path, ceilUnits(size), 'must be a valid resource quantity'));
}

function resourceKey(out: Errors, path: string, name: string): boolean {
	const before = out.length;
	texts(out, path, name, qualifiedName(name));
	if (out.length === before && isNative(name) && name !== 'storage') out.push(notSupported(path, name, ['storage']));
	return out.length === before;
}
