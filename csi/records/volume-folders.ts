/** Where a volume lies: among those of the pool, or among those that pods of one node describe in their own words. */
import { isId } from '../ids.ts';
import type { RecordFolders } from './record-folders.ts';
import type { VolumeRecord } from './records.ts';

export interface VolumeFolders {
	readonly volumes: RecordFolders<VolumeRecord>;
	readonly inline: RecordFolders<VolumeRecord>;
}

export function foldersOf({ volumes, inline }: VolumeFolders, id: string): RecordFolders<VolumeRecord> {
	return isId('inline', id) ? inline : volumes;
}
