/** CRI mounts as the engine's mounts. Pure. */
import { AppError } from '../../base/errors.ts';
import { MountPropagation, type Mount } from '../proto.ts';
import type { EngineMount } from '../engine/types.ts';
import type { HostAbilities } from '../host-abilities.ts';

/** Private is what the engine makes of a mount itself, except of its own folders and what is above them: those it makes a slave, and refuses to make private. */
const PROPAGATION = {
	[MountPropagation.PROPAGATION_PRIVATE]: undefined,
	[MountPropagation.PROPAGATION_HOST_TO_CONTAINER]: 'rslave',
	[MountPropagation.PROPAGATION_BIDIRECTIONAL]: 'rshared',
} as const;

type MountHost = Pick<HostAbilities, 'recursiveReadOnly' | 'selinux'>;

/** The engine's two ways to say it: `Mounts`, and `Binds` for what only that one can (relabelling for SELinux). */
export type PlacedMount = { readonly mount: EngineMount } | { readonly bind: string };

/** `source` is the host path with symbolic links resolved. */
export function engineMount(mount: Mount, source: string, host: MountHost): PlacedMount {
	if (mount.uidMappings.length > 0 || mount.gidMappings.length > 0)
		throw new AppError('Unimplemented', `Cannot map user ids of mount "${mount.containerPath}": the engine has no mapped mounts`);
	if (mount.recursiveReadOnly) {
		if (!mount.readonly) throw new AppError('InvalidArgument', `Mount "${mount.containerPath}" is recursively read-only and not read-only`);
		if (mount.propagation !== MountPropagation.PROPAGATION_PRIVATE)
			throw new AppError('InvalidArgument', `Mount "${mount.containerPath}" is recursively read-only and propagates`);
		if (!host.recursiveReadOnly)
			throw new AppError('InvalidArgument', `Cannot mount "${mount.containerPath}" recursively read-only: Engine 25 or later is needed`);
	}
	const propagation = PROPAGATION[mount.propagation as keyof typeof PROPAGATION];
	// The label of the pod: the engine gives a container that joins another's IPC namespace that one's label.
	if (mount.selinuxRelabel && host.selinux && !mount.recursiveReadOnly && !`${source}${mount.containerPath}`.includes(':'))
		return { bind: `${source}:${mount.containerPath}:${[mount.readonly ? 'ro' : 'rw', 'Z', propagation].filter(Boolean).join(',')}` };
	const options: EngineMount['BindOptions'] = {
		...(propagation === undefined ? {} : { Propagation: propagation }),
		// The engine wants to be told that this one is private.
		...(mount.recursiveReadOnly ? { Propagation: 'rprivate', ReadOnlyForceRecursive: true } : {}),
		...(mount.readonly && !mount.recursiveReadOnly && host.recursiveReadOnly ? { ReadOnlyNonRecursive: true } : {}),
	};
	return {
		mount: {
			Type: 'bind',
			Source: source,
			Target: mount.containerPath,
			...(mount.readonly ? { ReadOnly: true } : {}),
			...(Object.keys(options).length === 0 ? {} : { BindOptions: options }),
		},
	};
}

/** What the shim itself puts there. */
export function bindMount(source: string, target: string, readOnly: boolean): EngineMount {
	return { Type: 'bind', Source: source, Target: target, ...(readOnly ? { ReadOnly: true } : {}) };
}

/** An image as the engine mounts it itself, from 28 on. */
export function imageMount(imageId: string, { containerPath, imageSubPath }: Mount): EngineMount {
	return {
		Type: 'image',
		Source: imageId,
		Target: containerPath,
		...(imageSubPath === '' ? {} : { ImageOptions: { Subpath: imageSubPath } }),
	};
}
