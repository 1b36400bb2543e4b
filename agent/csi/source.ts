/** A volume of a pod as CSI sees it, whether a claim or the pod's spec names it. Pure. */
import type { CSIDriver, PersistentVolume, Pod, SecretReference, Volume } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import { VolumeCapability_AccessMode_Mode as Mode, type VolumeCapability } from '../../wire/gen/csi.ts';
import { can, type CsiDriver } from './drivers.ts';
import { inlineHandle } from './names.ts';

export interface CsiSource {
	/** Names its folders: the PersistentVolume's, or the pod's own. */
	readonly specName: string;
	readonly driver: string;
	readonly handle: string;
	readonly fsType: string;
	readonly readOnly: boolean;
	readonly attributes: Readonly<Record<string, string>>;
	readonly accessModes: readonly string[];
	readonly mountOptions: readonly string[];
	readonly block: boolean;
	readonly lifecycle: 'Persistent' | 'Ephemeral';
	readonly stageSecret?: SecretReference | undefined;
	readonly publishSecret?: SecretReference | undefined;
	readonly expandSecret?: SecretReference | undefined;
}

/** @param readOnly of the pod's reference to the claim */
export function sourceOfVolume(volume: PersistentVolume, readOnly: boolean): CsiSource {
	const csi = volume.spec?.csi;
	if (csi === undefined) throw new AppError('InvalidArgument', `PersistentVolume "${volume.metadata.name ?? ''}" is no CSI volume`);
	return {
		specName: volume.metadata.name ?? '',
		driver: csi.driver,
		handle: csi.volumeHandle,
		fsType: csi.fsType ?? '',
		readOnly: readOnly || csi.readOnly === true,
		attributes: csi.volumeAttributes ?? {},
		accessModes: volume.spec?.accessModes ?? [],
		mountOptions: mountOptionsOf(volume),
		block: volume.spec?.volumeMode === 'Block',
		lifecycle: 'Persistent',
		stageSecret: csi.nodeStageSecretRef,
		publishSecret: csi.nodePublishSecretRef,
		expandSecret: csi.nodeExpandSecretRef,
	};
}

/** The annotation is the field's older form. */
export function mountOptionsOf({ metadata, spec }: PersistentVolume): readonly string[] {
	const annotated = metadata.annotations?.['volume.beta.kubernetes.io/mount-options'];
	return annotated === undefined || annotated === '' ? (spec?.mountOptions ?? []) : annotated.split(',');
}

export function sourceOfInline(pod: Pod, { name, csi }: Volume): CsiSource {
	if (csi === undefined) throw new AppError('InvalidArgument', `volume "${name}" is no CSI volume`);
	const secret = csi.nodePublishSecretRef?.name;
	return {
		specName: name,
		driver: csi.driver,
		handle: inlineHandle(pod.metadata.uid ?? '', name),
		fsType: csi.fsType ?? '',
		readOnly: csi.readOnly ?? false,
		attributes: csi.volumeAttributes ?? {},
		accessModes: ['ReadWriteOnce'],
		mountOptions: [],
		block: false,
		lifecycle: 'Ephemeral',
		...(secret === undefined ? {} : { publishSecret: { name: secret, namespace: pod.metadata.namespace } }),
	};
}

/** Throws upstream's words where the driver does not do volumes of this life. */
export function checkLifecycle({ lifecycle, driver }: CsiSource, object: CSIDriver | undefined): void {
	if (object === undefined) {
		if (lifecycle === 'Persistent') return;
		throw new AppError('FailedPrecondition', `volume mode "${lifecycle}" not supported by driver ${driver} (no CSIDriver object)`);
	}
	const modes = object.spec.volumeLifecycleModes ?? ['Persistent'];
	if (modes.includes(lifecycle)) return;
	const only = modes.map((m) => JSON.stringify(m)).join(' ');
	throw new AppError('FailedPrecondition', `volume mode "${lifecycle}" not supported by driver ${driver} (only supports [${only}])`);
}

export function capabilityOf(source: CsiSource, driver: CsiDriver, mountFlags: readonly string[], group: string): VolumeCapability {
	const mount = { fsType: source.fsType, mountFlags: [...mountFlags], volumeMountGroup: group };
	return {
		accessMode: { mode: accessMode(source.accessModes, can(driver, 'SINGLE_NODE_MULTI_WRITER')) },
		accessType: source.block ? { $case: 'block', value: {} } : { $case: 'mount', value: mount },
	};
}

/** As upstream, by the first of a volume's modes. Drivers that tell one writer from several on a node are told which. */
export function accessMode([mode = 'ReadWriteOnce']: readonly string[], tellsWriters: boolean): Mode {
	switch (mode) {
		case 'ReadWriteMany':
			return Mode.MULTI_NODE_MULTI_WRITER;
		case 'ReadOnlyMany':
			return Mode.MULTI_NODE_READER_ONLY;
		case 'ReadWriteOncePod':
			return tellsWriters ? Mode.SINGLE_NODE_SINGLE_WRITER : Mode.SINGLE_NODE_WRITER;
		default:
			return tellsWriters ? Mode.SINGLE_NODE_MULTI_WRITER : Mode.SINGLE_NODE_WRITER;
	}
}
