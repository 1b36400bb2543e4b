/** Where a volume lies: among those of the pool, or among those that pods of one node describe in their own words. */
import type { IdKind } from '../ids.ts';
import type { RecordFolders } from './record-folders.ts';
import type { VolumeRecord } from './records.ts';

const INLINE = 'inline-' satisfies `${IdKind}-`;

export interface VolumeFolders {
	readonly volumes: RecordFolders<VolumeRecord>;
	readonly inline: RecordFolders<VolumeRecord>;
}

/** The id must be one that was checked. Asked of each volume of a list, so it looks at no more than the kind. */
export function foldersOf({ volumes, inline }: VolumeFolders, id: string): RecordFolders<VolumeRecord> {
	return id.startsWith(INLINE) ? inline : volumes;
}
