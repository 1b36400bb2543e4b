/** Volumes, classes, devices and scheduling classes in tables. Pure. */
import type {
	CSIDriver,
	CSINode,
	PersistentVolume,
	PersistentVolumeClaim,
	PriorityClass,
	ResourceResourceClaim,
	ResourceSlice,
	RuntimeClass,
	StorageClass,
	VolumeAttachment,
	VolumeAttributesClass,
} from '../../../api/gen/types.ts';
import { classOfClaim, classOfVolume } from '../../../api/storage/class.ts';
import { age, columns, orUnset, type Cell, type Printer } from './column.ts';

const MODES: Readonly<Record<string, string>> = {
	ReadWriteOnce: 'RWO',
	ReadOnlyMany: 'ROX',
	ReadWriteMany: 'RWX',
	ReadWriteOncePod: 'RWOP',
};
const modes = (list: readonly string[] | undefined): string =>
	Object.keys(MODES)
		.filter((m) => list?.includes(m))
		.map((m) => MODES[m])
		.join(',');
const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

export const persistentVolumePrinter: Printer = {
	columns: columns(
		'Name',
		'Capacity',
		'Access Modes',
		'Reclaim Policy',
		'Status',
		'Claim',
		'StorageClass',
		'VolumeAttributesClass',
		'Reason',
		'Age',
		'VolumeMode*',
	),
	cells(v: PersistentVolume, now): readonly Cell[] {
		const ref = v.spec?.claimRef;
		const phase = v.metadata.deletionTimestamp === undefined ? (v.status?.phase ?? '') : 'Terminating';
		return [
			v.metadata.name ?? '',
			v.spec?.capacity?.['storage'] ?? '',
			modes(v.spec?.accessModes),
			v.spec?.persistentVolumeReclaimPolicy ?? '',
			phase,
			ref?.name === undefined || ref.name === '' ? '' : `${ref.namespace ?? ''}/${ref.name}`,
			classOfVolume(v),
			orUnset(v.spec?.volumeAttributesClassName),
			v.status?.reason ?? '',
			age(v, now),
			orUnset(v.spec?.volumeMode),
		];
	},
};

export const persistentVolumeClaimPrinter: Printer = {
	columns: columns('Name', 'Status', 'Volume', 'Capacity', 'Access Modes', 'StorageClass', 'VolumeAttributesClass', 'Age', 'VolumeMode*'),
	cells(c: PersistentVolumeClaim, now): readonly Cell[] {
		const bound = (c.spec?.volumeName ?? '') !== '';
		return [
			c.metadata.name ?? '',
			c.metadata.deletionTimestamp === undefined ? (c.status?.phase ?? '') : 'Terminating',
			c.spec?.volumeName ?? '',
			bound ? (c.status?.capacity?.['storage'] ?? '0') : '',
			bound ? modes(c.status?.accessModes) : '',
			classOfClaim(c),
			orUnset(c.spec?.volumeAttributesClassName),
			age(c, now),
			orUnset(c.spec?.volumeMode),
		];
	},
};

export const storageClassPrinter: Printer = {
	columns: columns('Name', 'Provisioner', 'ReclaimPolicy', 'VolumeBindingMode', 'AllowVolumeExpansion', 'Age'),
	cells(s: StorageClass, now): readonly Cell[] {
		const isDefault =
			s.metadata.annotations?.[DEFAULT_CLASS] === 'true' ||
			s.metadata.annotations?.['storageclass.beta.kubernetes.io/is-default-class'] === 'true';
		const name = `${s.metadata.name ?? ''}${isDefault ? ' (default)' : ''}`;
		return [
			name,
			s.provisioner,
			s.reclaimPolicy ?? 'Delete',
			s.volumeBindingMode ?? 'Immediate',
			s.allowVolumeExpansion === true,
			age(s, now),
		];
	},
};

export const volumeAttributesClassPrinter: Printer = {
	columns: columns('Name', 'DriverName', 'Age'),
	cells: (c: VolumeAttributesClass, now): readonly Cell[] => [c.metadata.name ?? '', c.driverName, age(c, now)],
};

export const volumeAttachmentPrinter: Printer = {
	columns: columns('Name', 'Attacher:name', 'PV', 'Node', 'Attached:boolean', 'Age'),
	cells: (a: VolumeAttachment, now): readonly Cell[] => [
		a.metadata.name ?? '',
		a.spec?.attacher ?? '',
		a.spec?.source?.persistentVolumeName ?? '',
		a.spec?.nodeName ?? '',
		a.status?.attached === true,
		age(a, now),
	],
};

export const csiNodePrinter: Printer = {
	columns: columns('Name', 'Drivers:integer', 'Age'),
	cells: (n: CSINode, now): readonly Cell[] => [n.metadata.name ?? '', n.spec?.drivers?.length ?? 0, age(n, now)],
};

export const csiDriverPrinter: Printer = {
	columns: columns(
		'Name',
		'AttachRequired:boolean',
		'PodInfoOnMount:boolean',
		'StorageCapacity:boolean',
		'TokenRequests',
		'RequiresRepublish:boolean',
		'Modes',
		'Age',
	),
	cells(d: CSIDriver, now): readonly Cell[] {
		const spec = d.spec;
		return [
			d.metadata.name ?? '',
			spec?.attachRequired ?? true,
			spec?.podInfoOnMount ?? false,
			spec?.storageCapacity ?? false,
			spec?.tokenRequests?.map((t) => t.audience).join(',') ?? '<unset>',
			spec?.requiresRepublish ?? false,
			(spec?.volumeLifecycleModes ?? []).join(',') || '<none>',
			age(d, now),
		];
	},
};

export const priorityClassPrinter: Printer = {
	columns: columns('Name', 'Value:integer', 'Global-Default:boolean', 'Age', 'PreemptionPolicy'),
	cells: (p: PriorityClass, now): readonly Cell[] => [
		p.metadata.name ?? '',
		p.value ?? 0,
		p.globalDefault ?? false,
		age(p, now),
		p.preemptionPolicy ?? 'PreemptLowerPriority',
	],
};

export const runtimeClassPrinter: Printer = {
	columns: columns('Name', 'Handler', 'Age'),
	cells: (r: RuntimeClass, now): readonly Cell[] => [r.metadata.name ?? '', r.handler, age(r, now)],
};

export const resourceClaimPrinter: Printer = {
	columns: columns('Name', 'State', 'Age'),
	cells(c: ResourceResourceClaim, now): readonly Cell[] {
		const states = [
			...(c.metadata.deletionTimestamp === undefined ? [] : ['deleted']),
			...(c.status?.allocation === undefined ? (c.metadata.deletionTimestamp === undefined ? ['pending'] : []) : ['allocated']),
			...(c.status?.allocation !== undefined && (c.status.reservedFor ?? []).length > 0 ? ['reserved'] : []),
		];
		return [c.metadata.name ?? '', states.join(','), age(c, now)];
	},
};

export const resourceSlicePrinter: Printer = {
	columns: columns('Name', 'Node', 'Driver', 'Pool', 'Age'),
	cells: (s: ResourceSlice, now): readonly Cell[] => [
		s.metadata.name ?? '',
		s.spec?.nodeName ?? '',
		s.spec?.driver ?? '',
		s.spec?.pool?.name ?? '',
		age(s, now),
	],
};
