/** StorageClasses and VolumeAttributesClasses. */
import { duplicate, fieldForbidden, invalidValue, required, tooLong } from '../../field-error.ts';
import type { StorageClass, TopologySelectorTerm, VolumeAttributesClass } from '../../gen/types.ts';
import { asSent } from '../../sent-empty.ts';
import { qualifiedName } from '../names.ts';
import { CLUSTER_SCOPED, objectMeta, objectMetaUpdate } from '../metadata.ts';
import { Unique, immutable, oneOf, present, same, texts, type Errors } from '../rule.ts';

export function storageClass(out: Errors, object: StorageClass): void {
	objectMeta(out, object.metadata, CLUSTER_SCOPED);
	const { provisioner } = object;
	provisionerName(out, 'provisioner', provisioner);
	parameters(out, object.parameters ?? {});
	if (object.reclaimPolicy !== '') oneOf(out, 'reclaimPolicy', object.reclaimPolicy, ['Delete', 'Retain']);
	if (object.volumeBindingMode === undefined) out.push(required('volumeBindingMode'));
	else oneOf(out, 'volumeBindingMode', object.volumeBindingMode, ['Immediate', 'WaitForFirstConsumer']);
	topologies(out, object.allowedTopologies ?? []);
}

function provisionerName(out: Errors, path: string, name: string | undefined): void {
	const lower = (name ?? '').toLowerCase();
	if (present(out, path, name)) texts(out, path, lower, qualifiedName(lower));
}

const MAX_PARAMETERS = 512;
const MAX_PARAMETERS_SIZE = 256 * 1024;

function parameters(out: Errors, given: Readonly<Record<string, string>>): void {
	const entries = Object.entries(given);
	if (entries.length > MAX_PARAMETERS) {
		out.push(tooLong('parameters', MAX_PARAMETERS));
		return;
	}
	if (given[''] !== undefined) out.push(invalidValue('parameters', '', 'field can not be empty.'));
	const size = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
	if (size > MAX_PARAMETERS_SIZE) out.push(tooLong('parameters', MAX_PARAMETERS_SIZE));
}

/** No two terms may be the same, and no key stand twice in a term. Upstream compares with as many empty terms as there are terms. */
function topologies(out: Errors, list: readonly TopologySelectorTerm[]): void {
	const seen = list.map(() => '{}');
	for (const [i, { matchLabelExpressions = [] }] of list.entries()) {
		const path = `allowedTopologies[${i}].matchLabelExpressions`;
		const keys = new Map<string, readonly string[]>();
		for (const [j, { key = '', values = [] }] of matchLabelExpressions.entries()) {
			const at = `${path}[${j}]`;
			if (values.length === 0) out.push(required(`${at}.values`));
			const unique = new Unique();
			for (const [k, value] of values.entries()) unique.check(out, `${at}.values[${k}]`, value);
			texts(out, `${at}.key`, key, qualifiedName(key));
			if (keys.has(key)) out.push(duplicate(`${at}.key`, key));
			keys.set(key, [...new Set(values)].toSorted());
		}
		const form = JSON.stringify(Object.fromEntries([...keys].toSorted(([a], [b]) => (a < b ? -1 : 1))));
		for (const other of seen) if (other === form) out.push(duplicate(path, ''));
		seen.push(form);
	}
}

export function storageClassUpdate(out: Errors, object: StorageClass, old: StorageClass): void {
	storageClass(out, object);
	objectMetaUpdate(out, object.metadata, old.metadata);
	if (!same(object.parameters, old.parameters)) out.push(invalidValue('parameters', asSent(object, 'parameters'), 'field is immutable'));
	immutable(out, 'provisioner', object.provisioner, old.provisioner);
	immutable(out, 'reclaimPolicy', object.reclaimPolicy, old.reclaimPolicy);
	immutable(out, 'volumeBindingMode', object.volumeBindingMode, old.volumeBindingMode);
}

export function volumeAttributesClass(out: Errors, object: VolumeAttributesClass): void {
	objectMeta(out, object.metadata, CLUSTER_SCOPED);
	provisionerName(out, 'driverName', object.driverName);
	parameters(out, object.parameters ?? {});
	if (Object.keys(object.parameters ?? {}).length === 0) out.push(required('parameters', 'must contain at least one key/value pair'));
}

export function volumeAttributesClassUpdate(out: Errors, object: VolumeAttributesClass, old: VolumeAttributesClass): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	if (object.driverName !== old.driverName) out.push(fieldForbidden('driverName', 'updates to driverName are forbidden.'));
	if (!same(object.parameters, old.parameters)) out.push(fieldForbidden('parameters', 'updates to parameters are forbidden.'));
	volumeAttributesClass(out, object);
}
