/** CRI mounts as the engine's mounts. */
import { AppError } from '../../base/errors.ts';
import { MountPropagation, type Mount } from '../proto.ts';
import type { EngineMount } from '../engine/types.ts';
import type { HostAbilities } from '../host-abilities.ts';

const PROPAGATION = {
	[MountPropagation.PROPAGATION_PRIVATE]: 'rprivate',
	[MountPropagation.PROPAGATION_HOST_TO_CONTAINER]: 'rslave',
	[MountPropagation.PROPAGATION_BIDIRECTIONAL]: 'rshared',
} as const;

/** Pure. `source` is the host path with symbolic links resolved. */
export function engineMount(mount: Mount, source: string, host: Pick<HostAbilities, 'recursiveReadOnly'>): EngineMount {
	if (mount.image !== undefined)
		throw new AppError('Unimplemented', `Cannot mount image "${mount.image.image}": the engine has no image volumes`);
	if (mount.uidMappings.length > 0 || mount.gidMappings.length > 0)
		throw new AppError('Unimplemented', `Cannot map user ids of mount "${mount.containerPath}": the engine has no mapped mounts`);
	if (mount.recursiveReadOnly) {
		if (!mount.readonly) throw new AppError('InvalidArgument', `Mount "${mount.containerPath}" is recursively read-only and not read-only`);
		if (mount.propagation !== MountPropagation.PROPAGATION_PRIVATE)
			throw new AppError('InvalidArgument', `Mount "${mount.containerPath}" is recursively read-only and propagates`);
		if (!host.recursiveReadOnly)
			throw new AppError('InvalidArgument', `Cannot mount "${mount.containerPath}" recursively read-only: Engine 25 or later is needed`);
	}
	return {
		Type: 'bind',
		Source: source,
		Target: mount.containerPath,
		...(mount.readonly ? { ReadOnly: true } : {}),
		BindOptions: {
			Propagation: PROPAGATION[mount.propagation as keyof typeof PROPAGATION] ?? 'rprivate',
			...(mount.readonly && host.recursiveReadOnly
				? mount.recursiveReadOnly
					? { ReadOnlyForceRecursive: true }
					: { ReadOnlyNonRecursive: true }
				: {}),
		},
	};
}
