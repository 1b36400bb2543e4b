/** The spec of a claim, of its own or in a template. */
import { fieldForbidden, invalidValue, required, type FieldError } from '../../field-error.ts';
import type { PersistentVolumeClaimSpec, TypedLocalObjectReference } from '../../gen/types.ts';
import { parseQuantity } from '../../quantity.ts';
import { dnsLabel, dnsSubdomain } from '../names.ts';
import { oneOf, present, same, texts, type Errors } from '../rule.ts';
import { isWrongSelector, labelSelector } from '../selectors.ts';

const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

export function accessModes(out: Errors, path: string, modes: readonly string[]): void {
	for (const mode of modes) oneOf(out, path, mode, MODES);
	const known = modes.filter((mode) => MODES.includes(mode));
	if (known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod'))
		out.push(fieldForbidden(path, 'may not use ReadWriteOncePod with other access modes'));
}

export function positive(out: Errors, path: string, value: string | number): void {
	if (parseQuantity(value).nano <= 0n) out.push(invalidValue(path, String(value), 'must be greater than zero'));
}

/** @param before the claim as it was: what was wrong with its selector's values, or with groups of sources, may stay */
export function claimSpec(out: Errors, at: string, spec: PersistentVolumeClaimSpec, before?: PersistentVolumeClaimSpec): void {
	present(out, `${at}.accessModes`, spec.accessModes, 'at least 1 access mode is required');
	labelSelector(out, `${at}.selector`, spec.selector, isWrongSelector(before?.selector) ? 'any' : 'checked');
	accessModes(out, `${at}.accessModes`, spec.accessModes ?? []);
	const storage = spec.resources?.requests?.['storage'];
	if (storage === undefined) out.push(required(`${at}.resources[storage]`));
	else positive(out, `${at}.resources[storage]`, storage);
	const { storageClassName = '' } = spec;
	if (storageClassName !== '') texts(out, `${at}.storageClassName`, storageClassName, dnsSubdomain(storageClassName));
	oneOf(out, `${at}.volumeMode`, spec.volumeMode, ['Block', 'Filesystem']);
	const { dataSource, dataSourceRef, volumeAttributesClassName = '' } = spec;
	const anyGroup = before?.dataSource?.apiGroup !== undefined || before?.dataSourceRef?.apiGroup !== undefined;
	if (dataSource !== undefined) sourceReference(out, `${at}.dataSource`, dataSource, anyGroup);
	if (dataSourceRef !== undefined) {
		sourceReference(out, `${at}.dataSourceRef`, dataSourceRef, anyGroup);
		const { namespace = '' } = dataSourceRef;
		if (namespace !== '') texts(out, `${at}.dataSourceRef.namespace`, namespace, dnsLabel(namespace));
	}
	if ((dataSourceRef?.namespace ?? '') !== '') {
		if (dataSource !== undefined) out.push(aboutPath(at, 'may not be specified when dataSourceRef.namespace is specified'));
	} else if (dataSource !== undefined && dataSourceRef !== undefined) {
		const { namespace: _, ...ref } = dataSourceRef;
		if (!same(dataSource, ref)) out.push(aboutPath(at, 'must match dataSourceRef'));
	}
	if (volumeAttributesClassName !== '')
		texts(out, `${at}.volumeAttributesClassName`, volumeAttributesClassName, dnsSubdomain(volumeAttributesClassName));
}

/** Upstream shows the path of the field in place of its value. */
const aboutPath = (field: string, text: string): FieldError => ({
	reason: 'FieldValueInvalid',
	field,
	message: `Invalid value: {}: ${text}`,
});

function sourceReference(out: Errors, at: string, { name = '', kind = '', apiGroup }: TypedLocalObjectReference, anyGroup: boolean): void {
	present(out, `${at}.name`, name);
	present(out, `${at}.kind`, kind);
	const group = apiGroup ?? '';
	if (group === '') {
		if (kind !== 'PersistentVolumeClaim')
			out.push(invalidValue(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
	} else if (!anyGroup) texts(out, `${at}.apiGroup`, group, dnsSubdomain(group));
}
