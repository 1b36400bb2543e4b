/** The spec of a claim, of its own or in a template. */
import { fieldForbidden, invalidValue, required } from '../../field-error.ts';
import type { PersistentVolumeClaimSpec, TypedLocalObjectReference } from '../../gen/types.ts';
import { internalForm } from '../../internal/form.ts';
import { parseQuantity } from '../../quantity.ts';
import { dnsLabel, dnsSubdomain } from '../names.ts';
import { oneOf, present, same, texts, type Errors } from '../rule.ts';
import { labelSelector } from '../selectors.ts';

const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

export function accessModes(out: Errors, path: string, modes: readonly string[]): void {
	let alone = false;
	for (const mode of modes) {
		oneOf(out, path, mode, MODES);
		if (mode === 'ReadWriteOncePod') alone = true;
	}
	if (alone && modes.some((mode) => mode !== 'ReadWriteOncePod'))
		out.push(fieldForbidden(path, 'may not use ReadWriteOncePod with other access modes'));
}

export function positive(out: Errors, path: string, value: string | number): void {
	if (parseQuantity(value).nano <= 0n) out.push(invalidValue(path, String(value), 'must be greater than zero'));
}

export function claimSpec(out: Errors, at: string, spec: PersistentVolumeClaimSpec): void {
	if (present(out, `${at}.accessModes`, spec.accessModes, 'at least 1 access mode is required'))
		accessModes(out, `${at}.accessModes`, spec.accessModes ?? []);
	labelSelector(out, `${at}.selector`, spec.selector);
	const storage = spec.resources?.requests?.['storage'];
	if (storage === undefined) out.push(required(`${at}.resources[storage]`));
	else positive(out, `${at}.resources[storage]`, storage);
	const { storageClassName = '' } = spec;
	if (storageClassName !== '') texts(out, `${at}.storageClassName`, storageClassName, dnsSubdomain(storageClassName));
	oneOf(out, `${at}.volumeMode`, spec.volumeMode, ['Block', 'Filesystem']);
	const { dataSource, dataSourceRef, volumeAttributesClassName = '' } = spec;
	if (dataSource !== undefined) sourceReference(out, `${at}.dataSource`, dataSource);
	if (dataSourceRef !== undefined) {
		sourceReference(out, `${at}.dataSourceRef`, dataSourceRef);
		const { namespace = '' } = dataSourceRef;
		if (namespace !== '') texts(out, `${at}.dataSourceRef.namespace`, namespace, dnsLabel(namespace));
	}
	if ((dataSourceRef?.namespace ?? '') !== '') {
		if (dataSource !== undefined)
			out.push(
				invalidValue(
					`${at}.dataSource`,
					internalForm('core/v1.TypedLocalObjectReference', dataSource),
					'may not be specified when dataSourceRef.namespace is specified',
				),
			);
	} else if (dataSource !== undefined && dataSourceRef !== undefined) {
		const { namespace: _, ...ref } = dataSourceRef;
		if (!same(dataSource, ref))
			out.push({ reason: 'FieldValueInvalid', field: at, message: 'Invalid value: {}: must match dataSourceRef' });
	}
	if (volumeAttributesClassName !== '')
		texts(out, `${at}.volumeAttributesClassName`, volumeAttributesClassName, dnsSubdomain(volumeAttributesClassName));
}

function sourceReference(out: Errors, at: string, { name = '', kind = '', apiGroup }: TypedLocalObjectReference): void {
	present(out, `${at}.name`, name);
	present(out, `${at}.kind`, kind);
	const group = apiGroup ?? '';
	if (group === '') {
		if (kind !== 'PersistentVolumeClaim')
			out.push(invalidValue(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
	} else texts(out, `${at}.apiGroup`, group, dnsSubdomain(group));
}
