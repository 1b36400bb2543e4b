/** PersistentVolumeClaims: what may change of one once it is made (core ValidatePersistentVolumeClaimUpdate). */
import { fieldForbidden, invalidValue } from '../../field-error.ts';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../gen/types.ts';
import { jsonDiff } from '../../internal/diff.ts';
import { internalForm } from '../../internal/form.ts';
import { compareQuantities } from '../../quantity.ts';
import { sameTyped } from '../../same-typed.ts';
import { asSent } from '../../sent-empty.ts';
import { NAMESPACED, objectMeta, objectMetaUpdate } from '../metadata.ts';
import { immutable, type Errors } from '../rule.ts';
import { claimSpec } from './claim-spec.ts';

export function persistentVolumeClaim(out: Errors, object: PersistentVolumeClaim): void {
	objectMeta(out, object.metadata, NAMESPACED);
	claimSpec(out, 'spec', object.spec ?? {});
}

const CLAIM_TEXT = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

const claimForm = (spec: PersistentVolumeClaimSpec): unknown => internalForm('core/v1.PersistentVolumeClaimSpec', spec);

export function persistentVolumeClaimUpdate(out: Errors, object: PersistentVolumeClaim, old: PersistentVolumeClaim): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	objectMeta(out, object.metadata, NAMESPACED);
	const { spec = {} } = object;
	const given = old.spec ?? {};
	claimSpec(out, 'spec', spec, given);
	const bound = old.status?.phase === 'Bound';
	const fixed: PersistentVolumeClaimSpec = { ...spec };
	// A volume is named once.
	const before = (given.volumeName ?? '') === '' ? { ...given, volumeName: spec.volumeName } : given;
	if (mayChooseClass(out, object, old)) fixed.storageClassName = before.storageClassName;
	if (bound) {
		const requests = asSent(spec.resources, 'requests') as Readonly<Record<string, string>> | undefined;
		if (requests !== undefined)
			fixed.resources = { ...spec.resources, requests: withStorage(requests, before.resources?.requests?.['storage']) };
		fixed.volumeAttributesClassName = before.volumeAttributesClassName;
	}
	if (!sameTyped('core/v1.PersistentVolumeClaimSpec', fixed, before))
		out.push(fieldForbidden('spec', `${CLAIM_TEXT}\n${jsonDiff(claimForm(before), claimForm(fixed))}`));
	const path = 'spec.resources.requests.storage';
	const [size = 0, oldSize = 0] = [spec.resources?.requests?.['storage'], before.resources?.requests?.['storage']];
	if (compareQuantities(size, oldSize) < 0 && compareQuantities(size, old.status?.capacity?.['storage'] ?? 0) <= 0)
		out.push(fieldForbidden(path, 'field can not be less than status.capacity'));
	immutable(out, 'volumeMode', spec.volumeMode, before.volumeMode);
	const { volumeAttributesClassName: next } = spec;
	if (next !== before.volumeAttributesClassName && old.status?.currentVolumeAttributesClassName !== undefined && (next ?? '') === '')
		out.push(
			fieldForbidden(
				'spec.volumeAttributesClassName',
				`update to ${next === undefined ? 'nil' : 'empty string'} is forbidden when status.currentVolumeAttributesClassName is not nil`,
			),
		);
}

const CLASS = 'volume.beta.kubernetes.io/storage-class';

/** Where no class was named: any, or that of the annotation that the field took the place of. */
function mayChooseClass(out: Errors, { metadata, spec }: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
	const [now, before] = [metadata.annotations?.[CLASS], old.metadata.annotations?.[CLASS]];
	const name = spec?.storageClassName;
	const isFirst = old.spec?.storageClassName === undefined && name !== undefined;
	if (isFirst && name === before && (now === undefined || now === before)) return true;
	if ((now ?? '') !== (before ?? '')) out.push(invalidValue(`metadata.annotations.${CLASS}`, now ?? '', 'field is immutable'));
	return isFirst && (before === undefined || name === before);
}

function withStorage(requests: Readonly<Record<string, string>>, storage: string | undefined): Record<string, string> {
	const { storage: _new, ...others } = requests;
	return storage === undefined ? others : { ...others, storage };
}
