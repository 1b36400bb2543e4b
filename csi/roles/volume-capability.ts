/** What a claim or a volume says of its use, as CSI's VolumeCapability (csi-lib-utils accessmodes). Pure. */
import type { PersistentVolumeSpec } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import { VolumeCapability_AccessMode_Mode as Mode, type VolumeCapability } from '../proto.ts';

export interface Use {
	readonly block: boolean;
	readonly fsType: string;
	readonly mountFlags: readonly string[];
	readonly mode: Mode;
}

export function capabilityOf({ block, fsType, mountFlags, mode }: Use): VolumeCapability {
	return {
		accessType: block
			? { $case: 'block', value: {} }
			: { $case: 'mount', value: { fsType, mountFlags: [...mountFlags], volumeMountGroup: '' } },
		accessMode: { mode },
	};
}

/** The capability of a volume with all its access modes. */
export function capabilityOfVolume(spec: PersistentVolumeSpec, multiWriter: boolean, defaultFsType: string): VolumeCapability {
	return capabilityOf({
		block: spec.volumeMode === 'Block',
		fsType: (spec.csi?.fsType ?? '') === '' ? defaultFsType : (spec.csi?.fsType ?? ''),
		mountFlags: spec.mountOptions ?? [],
		mode: accessMode(spec.accessModes ?? [], multiWriter),
	});
}

/** @param multiWriter whether the driver knows the single-node modes apart (SINGLE_NODE_MULTI_WRITER) */
export function accessMode(modes: readonly string[], multiWriter: boolean): Mode {
	const all = new Set(modes);
	if (all.has('ReadWriteOncePod')) {
		if (all.size > 1)
			throw new AppError(
				'InvalidArgument',
				'Kubernetes does not support use of ReadWriteOncePod with other access modes on the same PersistentVolume',
			);
		return multiWriter ? Mode.SINGLE_NODE_SINGLE_WRITER : Mode.SINGLE_NODE_WRITER;
	}
	if (all.has('ReadWriteMany')) return Mode.MULTI_NODE_MULTI_WRITER;
	if (all.has('ReadOnlyMany') && all.has('ReadWriteOnce'))
		throw new AppError('InvalidArgument', 'CSI does not support ReadOnlyMany and ReadWriteOnce on the same PersistentVolume');
	if (all.has('ReadOnlyMany')) return Mode.MULTI_NODE_READER_ONLY;
	if (all.has('ReadWriteOnce')) return multiWriter ? Mode.SINGLE_NODE_MULTI_WRITER : Mode.SINGLE_NODE_WRITER;
	throw new AppError('InvalidArgument', `unsupported AccessMode combination: [${modes.join(' ')}]`);
}
