/** What CSI drivers and their nodes say of themselves: CSIDrivers, CSINodes, VolumeAttachments, CSIStorageCapacities. */
import { duplicate, fieldForbidden, invalidValue, required, tooLong } from '../../field-error.ts';
import type { CSIDriver, CSINode, CSIStorageCapacity, VolumeAttachment } from '../../gen/types.ts';
import { internalForm } from '../../internal/form.ts';
import { parseQuantity } from '../../quantity.ts';
import { sameTyped } from '../../same-typed.ts';
import { dnsSubdomain, qualifiedName } from '../names.ts';
import { NAMESPACED, CLUSTER_SCOPED, objectMeta, objectMetaUpdate } from '../metadata.ts';
import { Unique, immutable, nonNegative, oneOf, present, same, texts, type Errors } from '../rule.ts';
import { labelSelector, valuesAfter, type Values } from '../selectors.ts';
import { volumeSpec } from './persistent-volume.ts';
import { csiDriver } from './volume-plugins.ts';

const TEN_MINUTES_S = 600;

export function csiDriverKind(out: Errors, object: CSIDriver): void {
	objectMeta(out, object.metadata, CLUSTER_SCOPED);
	csiDriverSpec(out, object);
}

function csiDriverSpec(out: Errors, { spec }: CSIDriver): void {
	oneOf(out, 'spec.fsGroupPolicy', spec.fsGroupPolicy, ['File', 'None', 'ReadWriteOnceWithFSType']);
	const audiences = new Unique();
	for (const [i, { audience, expirationSeconds }] of (spec.tokenRequests ?? []).entries()) {
		const at = `spec.tokenRequests[${i}]`;
		if (!audiences.check(out, `${at}.audience`, audience) || expirationSeconds === undefined) continue;
		if (expirationSeconds < TEN_MINUTES_S)
			out.push(invalidValue(`${at}.expirationSeconds`, expirationSeconds, 'may not specify a duration less than 10 minutes'));
		if (expirationSeconds > 2 ** 32)
			out.push(invalidValue(`${at}.expirationSeconds`, expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
	}
	for (const mode of spec.volumeLifecycleModes ?? []) oneOf(out, 'spec.volumeLifecycleModes', mode, ['Persistent', 'Ephemeral']);
	const period = spec.nodeAllocatableUpdatePeriodSeconds;
	if (period !== undefined && period < 10)
		out.push(invalidValue('spec.nodeAllocatableUpdatePeriodSeconds', period, 'must be greater than or equal to 10 seconds'));
	const inSecrets = spec.serviceAccountTokenInSecrets;
	if (inSecrets !== undefined && (spec.tokenRequests ?? []).length === 0)
		out.push(
			invalidValue(
				'spec.serviceAccountTokenInSecrets',
				inSecrets,
				'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
			),
		);
}

export function csiDriverUpdate(out: Errors, object: CSIDriver, old: CSIDriver): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	csiDriverSpec(out, object);
	immutable(out, 'spec.attachedRequired', object.spec.attachRequired, old.spec.attachRequired);
	immutable(out, 'spec.volumeLifecycleModes', object.spec.volumeLifecycleModes, old.spec.volumeLifecycleModes);
}

const MAX_NODE_ID = 256;

export function csiNode(out: Errors, object: CSINode): void {
	objectMeta(out, object.metadata, CLUSTER_SCOPED);
	const names = new Unique();
	for (const [i, driver] of (object.spec.drivers ?? []).entries()) {
		const at = `spec.drivers[${i}]`;
		csiDriver(out, `${at}.name`, driver.name);
		present(out, `${at}.nodeID`, driver.nodeID);
		if (Buffer.byteLength(driver.nodeID ?? '') > MAX_NODE_ID)
			out.push(invalidValue(`${at}.nodeID`, driver.nodeID, `must be ${MAX_NODE_ID} characters or less`));
		nonNegative(out, `${at}.allocatable.count`, driver.allocatable?.count);
		names.check(out, `${at}.name`, driver.name);
		const keys = new Set<string>();
		for (const key of driver.topologyKeys ?? []) {
			if (key === '') out.push(required(at));
			if (keys.has(key)) out.push(duplicate(at, key));
			keys.add(key);
			texts(out, at, key, qualifiedName(key));
		}
	}
}

export function csiNodeUpdate(out: Errors, object: CSINode, old: CSINode): void {
	csiNode(out, object);
	for (const { allocatable: _o, ...before } of old.spec.drivers ?? [])
		for (const { allocatable: _n, ...driver } of object.spec.drivers ?? [])
			if (driver.name === before.name && !same(driver, before))
				out.push(invalidValue('spec.drivers', internalForm('storage/v1.CSINodeDriver', driver), 'field is immutable'));
}

const MAX_ERROR = 1024;
/** Of what an attachment tells; upstream names it where an error is too long, too. */
const MAX_METADATA = 256 * 1024;

export function volumeAttachment(out: Errors, object: VolumeAttachment): void {
	objectMeta(out, object.metadata, CLUSTER_SCOPED);
	const { attacher, source, nodeName } = object.spec;
	csiDriver(out, 'spec.attacher', attacher ?? '');
	const inline = source.inlineVolumeSpec !== undefined;
	const named = source.persistentVolumeName !== undefined;
	if (!inline && !named) out.push(required('spec.source', 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'));
	if (inline && named) out.push(fieldForbidden('spec.source', 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'));
	if (source.inlineVolumeSpec !== undefined && !named) volumeSpec(out, 'spec.source.inlineVolumeSpec', source.inlineVolumeSpec);
	if (named && !inline && source.persistentVolumeName === '')
		out.push(required('spec.source.persistentVolumeName', 'must specify non empty persistentVolumeName'));
	texts(out, 'spec.nodeName', nodeName ?? '', dnsSubdomain(nodeName ?? ''));
	const metadata = Object.entries(object.status?.attachmentMetadata ?? {});
	if (metadata.reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')), 0) > MAX_METADATA)
		out.push(tooLong('status.attachmentMetadata', MAX_METADATA));
	for (const key of ['attachError', 'detachError'] as const) {
		const { message = '', errorCode = 0 } = object.status?.[key] ?? {};
		if (Buffer.byteLength(message) > MAX_ERROR) out.push(tooLong(`status.${key}.message`, MAX_METADATA));
		if (errorCode < 0) out.push(invalidValue(`status.${key}.errorCode`, errorCode, 'must be between 0 and 2147483647, inclusive'));
	}
	const { persistentVolumeName: volume } = source;
	if (volume !== undefined) texts(out, 'spec.source.persistentVolumeName', volume, dnsSubdomain(volume));
}

export function volumeAttachmentUpdate(out: Errors, object: VolumeAttachment, old: VolumeAttachment): void {
	volumeAttachment(out, object);
	if (!sameTyped('storage/v1.VolumeAttachmentSpec', object.spec, old.spec))
		out.push(invalidValue('spec', internalForm('storage/v1.VolumeAttachmentSpec', object.spec), 'field is immutable'));
}

export function csiStorageCapacity(out: Errors, object: CSIStorageCapacity, values: Values = 'checked'): void {
	objectMeta(out, object.metadata, NAMESPACED);
	labelSelector(out, 'nodeTopology', object.nodeTopology, values);
	texts(out, 'storageClassName', object.storageClassName, dnsSubdomain(object.storageClassName));
	const { capacity } = object;
	if (capacity !== undefined && parseQuantity(capacity).nano < 0n)
		out.push(invalidValue('capacity', String(capacity), 'must be greater than or equal to 0'));
}

export function csiStorageCapacityUpdate(out: Errors, object: CSIStorageCapacity, old: CSIStorageCapacity): void {
	csiStorageCapacity(out, object, valuesAfter(old.nodeTopology));
	objectMetaUpdate(out, object.metadata, old.metadata);
	if (!same(object.nodeTopology, old.nodeTopology))
		out.push(invalidValue('nodeTopology', object.nodeTopology ?? null, 'field is immutable'));
	if (object.storageClassName !== old.storageClassName)
		out.push(invalidValue('storageClassName', object.storageClassName, 'field is immutable'));
}
