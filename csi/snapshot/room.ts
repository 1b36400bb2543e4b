/** The room that snapshots of volumes take: as much as those hold. */
import { backendOf, type Context } from '../context.ts';
import type { VolumeRecord } from '../records/records.ts';

/** Kept until disposed. Folders take what they take: nobody holds them to a size. */
export function roomForCopies(context: Context, volumes: readonly VolumeRecord[]): Promise<Disposable> {
	const bytes = volumes.map((volume) => {
		const backend = backendOf(context, volume);
		return backend.enforcesSize ? backend.allocatedBytes(context.volumes.dir(volume.id), volume) : 0;
	});
	return context.space.reserve(bytes.reduce((sum, each) => sum + each, 0));
}
