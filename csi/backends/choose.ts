/** What the data of a new volume is: back end, file system and size, by what is asked for and what this host has. */
import { AppError } from '../../base/errors.ts';
import type { FsType } from '../capability.ts';
import { backendOf, type Context } from '../context.ts';
import type { CapacityRange } from '../proto.ts';
import type { DataFacts } from '../records/records.ts';
import { chooseSize } from '../size.ts';
import type { Backend } from './backend.ts';
import type { BackendKind } from './kinds.ts';

export interface Wanted {
	readonly backend: BackendKind | undefined;
	readonly access: DataFacts['access'];
	readonly fsType: FsType | undefined;
	readonly range: CapacityRange | undefined;
}

/** Throws for what this host does not have. */
export function chooseData(context: Context, { backend: asked, access, fsType, range }: Wanted): DataFacts {
	const backend = chooseBackend(context, asked, access);
	if (backend.kind !== 'loop' && fsType !== undefined && fsType !== context.backends.poolFileSystem)
		throw new AppError(
			'InvalidArgument',
			`Volumes of the back end ${backend.kind} have the file system of the pool, which is not ${fsType}`,
		);
	const made = backend.kind === 'loop' && access === 'mount' ? (fsType ?? context.backends.fileSystems[0] ?? 'ext4') : undefined;
	if (made !== undefined && !context.backends.fileSystems.includes(made))
		throw new AppError('InvalidArgument', `This host cannot make the file system ${made}`);
	return { backend: backend.kind, access, fsType: made, sizeBytes: chooseSize(range, backend.limits({ access, fsType: made })) };
}

/** Raw blocks are images whatever the pool is: folders have none. */
function chooseBackend(context: Context, asked: BackendKind | undefined, access: DataFacts['access']): Backend {
	if (access === 'block') {
		if (asked !== undefined && asked !== 'loop') throw new AppError('InvalidArgument', `Back end ${asked} has no block volumes`);
		return backendOf(context, { backend: 'loop' });
	}
	if (asked !== undefined) return backendOf(context, { backend: asked });
	const [best] = context.backends.available;
	if (best === undefined) throw new AppError('Unavailable', `No back end can be used: ${JSON.stringify(context.backends.missing)}`);
	return best;
}
