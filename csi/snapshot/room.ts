/** The room that snapshots of volumes take: as much as those hold, or where blocks are shared what volumes need to part from them. */
import { backendOf, type Context } from '../context.ts';
import type { SnapshotRecord } from '../records/records.ts';

/**
 * Kept until disposed. To be asked once the volumes are frozen: what was not written yet is in their data then. Folders take what they take: nobody holds
 * them to a size.
 */
export function roomForCopies(context: Context, snapshots: readonly SnapshotRecord[]): Promise<Disposable> {
	const { space, volumes, backends } = context;
	const images = snapshots.flatMap((record) => {
		const backend = backendOf(context, record);
		if (!backend.enforcesSize) return [];
		return [{ record, allocatedBytes: backend.allocatedBytes(volumes.dir(record.volumeId), record) }];
	});
	const bytes =
		backends.sharesBlocks === true ? space.bytesFor(images) : images.reduce((sum, { allocatedBytes }) => sum + allocatedBytes, 0);
	return space.reserve(bytes);
}
